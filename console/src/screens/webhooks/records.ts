import { queryOptions } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import type { ListPage } from '../../api/lists.ts'
import { useParam, useSearchText } from '../../location.ts'

export interface Subscription {
  readonly id: string
  readonly endpoint_url: string
  readonly description: string | null
  readonly events: readonly string[]
  readonly event_patterns: readonly string[]
  readonly is_active: boolean
  readonly failure_count: number
  readonly disabled_reason: string | null
  readonly last_delivery_at: string | null
  readonly created_at: string
}

export interface Stats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  readonly held: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

interface Fault {
  readonly code: string
  readonly message: string
}

export interface Delivery {
  readonly id: string
  readonly event_type: string
  readonly is_test: boolean
  readonly status: 'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled'
  readonly attempt_count: number
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly last_status_code: number | null
  readonly last_error: Fault | null
}

export interface ShownDelivery extends Delivery {
  readonly payload: unknown
  readonly attempts: readonly Attempt[]
}

export interface Attempt {
  readonly number: number
  readonly trigger: string
  readonly started_at: string
  readonly duration_ms: number | null
  readonly url: string
  readonly request_headers: Readonly<Record<string, unknown>>
  readonly response_status: number | null
  readonly response_headers: Readonly<Record<string, unknown>> | null
  readonly response_body: string | null
  readonly response_truncated: boolean
  readonly error: Fault | null
}

export interface EventType {
  readonly name: string
  readonly description: string | null
  readonly example_payload: unknown
  readonly schema: unknown
  readonly is_active: boolean
  readonly built_in: boolean
}

/** All of them: there are five for each content type. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: async ({ signal }) => {
    const found: EventType[] = []
    for (let page = 1; ; page++) {
      const query = { page, per_page: 100 }
      const { body } = await send<ListPage<EventType>>('/webhooks/event-types', { query, signal })
      found.push(...body.data)
      if (body.data.length < query.per_page) return found
    }
  },
})

export const SUBSCRIPTIONS = '/webhooks/subscriptions'

/** A subscription as the URL names it. Those of others exist for an admin who says whose they are (webhooks contract §1). */
export function useSubscriptionPath() {
  const id = useParam('id')
  const [{ consumer_id }] = useSearchText()
  const here = `/webhooks/${id}`
  const whose = consumer_id === undefined ? '' : `?consumer_id=${encodeURIComponent(consumer_id)}`
  return {
    path: `${SUBSCRIPTIONS}/${id}`,
    query: { consumer_id },
    /** The screen of it, or of one of its deliveries. */
    screen: (delivery?: string) => `${here}${delivery ? `/${delivery}` : ''}${whose}`,
  }
}

export const TABS = [
  { path: '/webhooks', label: 'Subscriptions' },
  { path: '/webhooks/event-types', label: 'Event types' },
  { path: '/webhooks/live', label: 'Live' },
]
