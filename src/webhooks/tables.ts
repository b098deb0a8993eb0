import type { Generated } from 'kysely'
import type { LeaseColumns } from '#jobs'

export type Visibility = 'all' | 'owner' | 'staff' | 'live'
export type Source = 'subscriptions' | 'scrapers'
export type DisabledReason = 'failures' | 'gone' | 'manual'
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled'
export type Trigger = 'scheduled' | 'manual' | 'replay' | 'test'
export type EmailStatus = 'sent' | 'queued' | 'failed' | 'not_configured'
export type ReplayScope = 'failed' | 'missed' | 'all'

export interface WebhooksTables {
  webhooks_event_types: {
    name: string
    description: string | null
    /** JSON. */
    example_payload: string | null
    /** JSON Schema, as text. */
    schema: string | null
    is_active: number
    visibility: Visibility
    built_in: number
    is_known: number
    is_changed: number
    created_at: number
    updated_at: number
  }
  webhooks_subscriptions: {
    id: string
    consumer_id: string
    endpoint_url: string
    description: string | null
    /** JSON, as given. */
    events: string
    /** JSON, as given. */
    event_patterns: string
    /** JSON; null without one. */
    filter: string | null
    include_entry: number
    /** JSON. */
    headers: string
    timeout_seconds: number
    /** Sealed; bound to the id. */
    secret: string
    secret_old: string | null
    secret_old_until: number | null
    secret_rotated_at: number | null
    source: Source
    created_at: number
    updated_at: number
    probe_wanted: number
    probe_at: number | null
    probe_status: number | null
    probe_error: string | null
  }
  webhooks_subscription_events: {
    /** A name or a pattern. */
    event: string
    subscription_id: string
    consumer_id: string
    is_matched: number
    /** 1: it has a filter or wants the entry. */
    has_options: number
  }
  webhooks_registrations: { id: Generated<number>; subscription_id: string; consumer_id: string }
  /**
   * The state of a subscription's deliveries. Whoever holds its lease sends them, so that no two
   * nodes together exceed what one endpoint is given at once.
   */
  webhooks_lanes: LeaseColumns & {
    subscription_id: string
    consumer_id: string
    is_active: number
    /** Events from before are not dispatched to it. */
    active_since: number
    disabled_at: number | null
    disabled_reason: DisabledReason | null
    failure_count: number
    failing_since: number | null
    last_delivery_at: number | null
    last_sequence: number
    /** Counts deactivations: what waits with a lower one is held, without being touched. */
    epoch: number
    /** Held deliveries of epochs below this were given up. */
    cancelled_epoch: number
    /** When the next held deliveries may go; null when none are to be released. */
    release_at: number | null
    /** From when on there may be something to send; null when nothing waits. */
    due_at: number | null
    /** The subscription was deleted; its finished deliveries are still counted. */
    removed_at: number | null
    /** Quick answers in a row that the endpoint owes before it counts as quick; 0 when it does. */
    probation: number
    is_ordered: number
    max_per_second: number | null
    /** When `max_per_second` allows the next request, as the last holder left it. */
    next_send_at: number | null
    auto_resume: number
    /** When a disabled endpoint is tried again; null when it is not. */
    resume_at: number | null
    resume_tries: number
  }
  webhooks_messages: { id: string; type: string; data: string; occurred_at: number }
  webhooks_cursor: { name: string; seq: number; after_id: string | null }
  webhooks_deliveries: {
    id: string
    subscription_id: string
    consumer_id: string
    message_id: string
    /** 1: what is sent is the text with the entry. */
    with_entry: number
    event_type: string
    event_at: number
    sequence: number | null
    is_test: number
    /** As stored; see `statusOf`. */
    status: DeliveryStatus
    epoch: number
    next_trigger: Trigger
    attempt_count: number
    /** Attempts of the present retry budget. */
    tries: number
    /** When it is to be sent; null when it is not. */
    due_at: number | null
    /** The scheduled attempt, which a manual one comes before. */
    next_attempt_at: number | null
    created_at: number
    completed_at: number | null
    last_status_code: number | null
    /** JSON `{code,message}`. */
    last_error: string | null
  }
  webhooks_attempts: {
    delivery_id: string
    number: number
    trigger_name: Trigger
    started_at: number
    duration_ms: number
    url: string
    request_headers: string
    response_status: number | null
    response_headers: string | null
    response_body: string | null
    response_truncated: number
    error_code: string | null
    error_message: string | null
  }
  webhooks_notifications: {
    id: string
    consumer_id: string
    type: string
    subscription_id: string
    message: string
    created_at: number
    read_at: number | null
    email_status: EmailStatus
    email_due_at: number | null
    email_tries: number
  }
  webhooks_replays: {
    id: string
    subscription_id: string
    consumer_id: string
    scope: ReplayScope
    since: number
    until: number
    event_types: string | null
    status: 'running' | 'completed' | 'cancelled'
    matched: number
    processed: number
    phase: 'deliveries' | 'events'
    after_id: string | null
    created_at: number
    completed_at: number | null
  }
}
