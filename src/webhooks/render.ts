import { parseExactJson, renderTime, renderTimeOrNull } from '#kernel'
import type { ShownDelivery, Stats } from './deliveries.ts'
import type { CountedEvent } from './events.ts'
import { maskHeaders } from './mask-headers.ts'
import type {
  Attempt,
  Delivery,
  EventType,
  Notification,
  Probe,
  Replay,
  Subscription,
} from './records.ts'
import type { Registration } from './registrations.ts'
import type { Created } from './subscriptions.ts'
import { renderEventId } from './wire-ids.ts'

// Webhooks contract §2 to §12, as it travels over the wire.

export function renderSubscription(subscription: Subscription) {
  const { lane } = subscription
  return {
    id: subscription.id,
    consumer_id: subscription.consumerId,
    endpoint_url: subscription.endpointUrl,
    description: subscription.description,
    events: subscription.events,
    event_patterns: subscription.eventPatterns,
    filter: subscription.filter,
    include_entry: subscription.includeEntry,
    is_active: lane.isActive,
    headers: maskHeaders(subscription.headers),
    timeout_seconds: subscription.timeoutSeconds,
    ordered: lane.isOrdered,
    max_per_second: lane.maxPerSecond,
    auto_resume: lane.autoResume,
    created_at: renderTime(subscription.createdAtMs),
    updated_at: renderTime(subscription.updatedAtMs),
    last_delivery_at: renderTimeOrNull(lane.lastDeliveryAtMs),
    failure_count: lane.failureCount,
    disabled_at: renderTimeOrNull(lane.disabledAtMs),
    disabled_reason: lane.disabledReason,
    secret_rotated_at: renderTimeOrNull(subscription.secretRotatedAtMs),
    source: subscription.source,
    last_probe: subscription.lastProbe && renderProbe(subscription.lastProbe),
  }
}

function renderProbe({ atMs, status, error }: Probe) {
  return { at: renderTime(atMs), reachable: status !== null, status, error }
}

/** Doc 1 §4.2 rule 4: exactly these members; patterns, which it does not know, only if given. */
export function renderCreated(created: Created) {
  const { id, endpointUrl, events, eventPatterns, secret, createdAtMs } = created
  return {
    id,
    endpoint_url: endpointUrl,
    events,
    ...(eventPatterns.length > 0 ? { event_patterns: eventPatterns } : {}),
    secret,
    created_at: renderTime(createdAtMs),
    test_sent: true,
  }
}

export function renderEventType(type: EventType) {
  return {
    name: type.name,
    description: type.description,
    example_payload: type.examplePayload,
    schema: type.schema === null ? null : parseExactJson(type.schema),
    is_active: type.isActive,
    visibility: type.visibility,
    built_in: type.builtIn,
  }
}

export function renderEvent({ event, deliveries }: CountedEvent) {
  return {
    id: renderEventId(event.id),
    event_type: event.type,
    payload: event.payload,
    consumer_id: event.owner,
    occurred_at: renderTime(event.occurredAtMs),
    created_at: renderTime(event.createdAtMs),
    deliveries,
  }
}

export function renderDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    subscription_id: delivery.subscriptionId,
    event_id: renderEventId(delivery.messageId),
    event_type: delivery.eventType,
    sequence: delivery.sequence,
    is_test: delivery.isTest,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    next_attempt_at: renderTimeOrNull(delivery.nextAttemptAtMs),
    created_at: renderTime(delivery.createdAtMs),
    completed_at: renderTimeOrNull(delivery.completedAtMs),
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
  }
}

export function renderShown(
  { delivery, message, attempts }: ShownDelivery,
  include = { attempts: true, payload: true },
) {
  const payload: unknown = message && parseExactJson(message.data)
  return {
    ...renderDelivery(delivery),
    ...(include.payload ? { payload: payload ?? null } : {}),
    ...(include.attempts ? { attempts: attempts.map(renderAttempt) } : {}),
  }
}

function renderAttempt(attempt: Attempt) {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: renderTime(attempt.startedAtMs),
    duration_ms: attempt.durationMs,
    url: attempt.url,
    request_headers: attempt.requestHeaders,
    response_status: attempt.responseStatus,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    response_truncated: attempt.responseTruncated,
    error: attempt.error,
  }
}

export function renderStats(stats: Stats) {
  return {
    pending: stats.pending,
    succeeded: stats.succeeded,
    failed: stats.failed,
    held: stats.held,
    p50_ms: stats.p50Ms,
    p95_ms: stats.p95Ms,
    oldest_pending_at: renderTimeOrNull(stats.oldestPendingAtMs),
  }
}

export function renderNotification(notification: Notification) {
  return {
    id: notification.id,
    type: notification.type,
    subscription_id: notification.subscriptionId,
    message: notification.message,
    created_at: renderTime(notification.createdAtMs),
    read_at: renderTimeOrNull(notification.readAtMs),
    email_status: notification.emailStatus,
  }
}

export function renderReplay(replay: Replay) {
  return {
    id: replay.id,
    subscription_id: replay.subscriptionId,
    scope: replay.scope,
    since: renderTime(replay.sinceMs),
    until: renderTime(replay.untilMs),
    event_types: replay.eventTypes,
    matched: replay.matched,
    processed: replay.processed,
    status: replay.status,
    created_at: renderTime(replay.createdAtMs),
    completed_at: renderTimeOrNull(replay.completedAtMs),
  }
}

/** Area A (webhooks contract §12). */
export function renderRegistration({ id, subscription }: Registration) {
  return {
    id,
    url: subscription.endpointUrl,
    events: subscription.events,
    ...(subscription.eventPatterns.length > 0
      ? { event_patterns: subscription.eventPatterns }
      : {}),
    is_active: subscription.lane.isActive,
    subscription_id: subscription.id,
    created_at: renderTime(subscription.createdAtMs),
  }
}
