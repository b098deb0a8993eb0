import type { EventTypeInfo } from './records.ts'
import { DISABLED_EVENT, FAILING_EVENT } from './sending/owner-notices.ts'

const AT = '2026-05-04T10:20:30.123Z'
const LATER = '2026-05-04T10:20:38.246Z'

const RUN = {
  run_id: 57,
  scraper_id: 12,
  scraper_name: 'News',
  status: 'completed',
  trigger: 'schedule',
  started_at: AT,
  finished_at: LATER,
  duration_ms: 8_123,
  items_collected: 14,
  pages_fetched: 20,
  pages_failed: 1,
  finish_reason: 'exhausted',
  changes: { new: 10, changed: 2, unchanged: 2, missing: 0 },
  error: null,
}
const ORDER = { id: 7, status: 'new', total: 12.5, created_at: AT }
const FAILING = {
  subscription_id: '0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44',
  endpoint_url: 'https://shop.example/hooks',
  failure_count: 50,
  disabled_at: null,
  reason: null,
  last_error: { code: 'http_status', message: 'Answered 500' },
}

/** Events of this module, and those that the documents name whoever emits them (Doc 1 §6). */
export const WEBHOOK_EVENTS: readonly EventTypeInfo[] = [
  type('run.started', 'A scraper run began', 'owner', {
    ...RUN,
    status: 'running',
    finished_at: null,
    duration_ms: null,
    items_collected: 0,
  }),
  type('run.completed', 'A scraper run completed', 'owner', RUN),
  type('run.failed', 'A scraper run failed', 'owner', {
    ...RUN,
    status: 'failed',
    error: { code: 'dns_error', message: 'The host name could not be resolved' },
  }),
  type('run.stopped', 'A scraper run was stopped', 'owner', { ...RUN, status: 'stopped' }),
  type('order.created', 'An order was placed', 'all', ORDER),
  type('order.updated', 'An order was changed', 'all', { ...ORDER, status: 'paid' }),
  type(FAILING_EVENT, 'A subscription keeps failing', 'owner', FAILING),
  type(DISABLED_EVENT, 'A subscription was disabled', 'owner', {
    ...FAILING,
    failure_count: 100,
    disabled_at: AT,
    reason: 'failures',
  }),
]

function type(
  name: string,
  description: string,
  visibility: EventTypeInfo['visibility'],
  examplePayload: EventTypeInfo['examplePayload'],
): EventTypeInfo {
  return { name, description, visibility, examplePayload }
}
