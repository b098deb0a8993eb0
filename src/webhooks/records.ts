import type { Filter } from './filter.ts'
import type {
  DeliveryStatus,
  DisabledReason,
  EmailStatus,
  ReplayScope,
  Source,
  Trigger,
  Visibility,
} from './tables.ts'

/** Webhooks contract §3. */
export interface EventType {
  readonly name: string
  readonly description: string | null
  readonly examplePayload: unknown
  /** JSON Schema as text, which published payloads must fit. */
  readonly schema: string | null
  readonly isActive: boolean
  readonly visibility: Visibility
  readonly builtIn: boolean
}

/** What a part of the product says of an event type that it emits. */
export interface EventTypeInfo {
  readonly name: string
  readonly description: string
  readonly examplePayload: Readonly<Record<string, unknown>>
  readonly visibility: Visibility
}

export interface Probe {
  readonly atMs: number
  /** Null when nothing answered. */
  readonly status: number | null
  readonly error: string | null
}

/** Webhooks contract §2.1, without its secrets. */
export interface Subscription {
  readonly id: string
  readonly consumerId: string
  readonly endpointUrl: string
  readonly description: string | null
  readonly events: readonly string[]
  readonly eventPatterns: readonly string[]
  readonly filter: Filter | null
  readonly includeEntry: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly source: Source
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly secretRotatedAtMs: number | null
  readonly lastProbe: Probe | null
  readonly lane: Lane
}

/** The state of its deliveries. */
export interface Lane {
  readonly subscriptionId: string
  readonly consumerId: string
  readonly isActive: boolean
  readonly activeSinceMs: number
  readonly disabledAtMs: number | null
  readonly disabledReason: DisabledReason | null
  readonly failureCount: number
  readonly failingSinceMs: number | null
  readonly lastDeliveryAtMs: number | null
  readonly lastSequence: number
  readonly epoch: number
  readonly cancelledEpoch: number
  readonly releaseAtMs: number | null
  /** One delivery at a time, in sequence: each waits until the former one is final. */
  readonly isOrdered: boolean
  /** Null: as many as go. */
  readonly maxPerSecond: number | null
  /** Disabled after failures it is tried again, and goes on when its endpoint answers. */
  readonly autoResume: boolean
  /** How often that was tried since it was disabled. */
  readonly resumeTries: number
}

/** The secrets of a subscription, opened. The old one is absent once its time is over. */
export interface Secrets {
  readonly current: string
  readonly previous: string | null
}

export interface AttemptError {
  readonly code: string
  readonly message: string
}

/** Webhooks contract §6. */
export interface Delivery {
  readonly id: string
  readonly subscriptionId: string
  readonly messageId: string
  readonly withEntry: boolean
  readonly eventType: string
  readonly sequence: number | null
  readonly isTest: boolean
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAtMs: number | null
  readonly createdAtMs: number
  readonly completedAtMs: number | null
  readonly lastStatusCode: number | null
  readonly lastError: AttemptError | null
}

export interface Attempt {
  readonly number: number
  readonly trigger: Trigger
  readonly startedAtMs: number
  readonly durationMs: number
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseStatus: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  readonly responseTruncated: boolean
  readonly error: AttemptError | null
}

export interface Notification {
  readonly id: string
  readonly type: string
  readonly subscriptionId: string
  readonly message: string
  readonly createdAtMs: number
  readonly readAtMs: number | null
  readonly emailStatus: EmailStatus
}

export interface Replay {
  readonly id: string
  readonly subscriptionId: string
  readonly consumerId: string
  readonly scope: ReplayScope
  readonly sinceMs: number
  readonly untilMs: number
  readonly eventTypes: readonly string[] | null
  readonly status: 'running' | 'completed' | 'cancelled'
  readonly matched: number
  readonly processed: number
  readonly phase: 'deliveries' | 'events'
  readonly afterId: string | null
  readonly createdAtMs: number
  readonly completedAtMs: number | null
}

/** A user as far as webhooks need one. */
export interface Consumer {
  readonly id: string
  readonly email: string
  /** Sees every event that is not somebody else's alone. */
  readonly isStaff: boolean
}

export const ANY_EVENT = '*'
export const TEST_EVENT = 'webhook.test'

/** Names that only the product itself gives to events: about webhooks, and of the live feed. */
export function isReserved(name: string): boolean {
  return name === 'gap' || name === 'webhook' || name.startsWith('webhook.')
}

/** The epoch of tests and manual attempts: they go out whatever became of the subscription. */
export const ALWAYS = -1

/**
 * What a stored delivery is now. A deactivation counts the epoch of the lane up instead of touching
 * what waits, which may be very much.
 */
export function statusOf(
  { status, epoch, is_test: isTest }: { status: DeliveryStatus; epoch: number; is_test: number },
  { epoch: now, cancelledEpoch }: Pick<Lane, 'epoch' | 'cancelledEpoch'>,
): DeliveryStatus {
  if (status !== 'pending' || isTest === 1 || epoch === ALWAYS || epoch >= now) return status
  return epoch < cancelledEpoch ? 'cancelled' : 'held'
}
