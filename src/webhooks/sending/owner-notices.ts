import type { Insertable } from 'kysely'
import type { NewEvent } from '#events'
import { renderTimeOrNull } from '#kernel'
import type { AttemptError, Lane } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'
import type { Tally } from './failure-policy.ts'

export const FAILING_EVENT = 'webhook.subscription.failing'
export const DISABLED_EVENT = 'webhook.subscription.disabled'
const RESUMED = 'webhook.subscription.resumed'

interface About {
  readonly lane: Lane
  readonly url: string
  readonly error: AttemptError | null
  readonly nowMs: number
}

/** What the owner of a failing subscription learns (webhooks contract §9.2). */
export function ownerWarning(about: About, failureCount: number): NewEvent {
  return eventOf(FAILING_EVENT, about, failureCount, null, null)
}

/** The stored notification and the event of a subscription that was disabled. */
export function ownerNotice(
  about: About,
  { failureCount, disabled }: Tally,
  { id, hasMail }: { readonly id: string; readonly hasMail: boolean },
): { notification: Insertable<WebhooksTables['webhooks_notifications']>; event: NewEvent } {
  const { lane, nowMs } = about
  return {
    event: eventOf(DISABLED_EVENT, about, failureCount, nowMs, disabled),
    notification: {
      id,
      consumer_id: lane.consumerId,
      type: DISABLED_EVENT,
      subscription_id: lane.subscriptionId,
      message: sentenceOf(about, failureCount, disabled),
      created_at: nowMs,
      read_at: null,
      email_status: hasMail ? 'queued' : 'not_configured',
      email_due_at: hasMail ? nowMs : null,
      email_tries: 0,
    },
  }
}

/** The stored notification of a subscription whose endpoint answers again. */
export function resumedNotice(
  { consumerId, subscriptionId }: Lane,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): Insertable<WebhooksTables['webhooks_notifications']> {
  return {
    id,
    consumer_id: consumerId,
    type: RESUMED,
    subscription_id: subscriptionId,
    message:
      'The endpoint of the webhook subscription answers again. The subscription is active, and the deliveries that were held are being sent.',
    created_at: nowMs,
    read_at: null,
    email_status: 'not_configured',
    email_due_at: null,
    email_tries: 0,
  }
}

function sentenceOf({ url, error }: About, failureCount: number, reason: Tally['disabled']) {
  const why =
    reason === 'gone'
      ? 'because the endpoint answered 410 Gone'
      : `after ${failureCount} failed attempts in a row`
  const last = error ? ` The last error was: ${error.message}.` : ''
  return `The webhook subscription to ${url} was disabled ${why}.${last} Deliveries that were still open are held until it is reactivated.`
}

function eventOf(
  type: string,
  { lane, url, error }: About,
  failureCount: number,
  disabledAtMs: number | null,
  reason: Tally['disabled'],
): NewEvent {
  return {
    type,
    owner: lane.consumerId,
    payload: {
      subscription_id: lane.subscriptionId,
      endpoint_url: url,
      failure_count: failureCount,
      disabled_at: renderTimeOrNull(disabledAtMs),
      reason,
      last_error: error,
    },
  }
}
