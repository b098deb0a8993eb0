import type { Claim } from '#kernel'
import type { Message } from '../body.ts'
import type { SealedSecrets } from '../secrets.ts'
import type { DeliveryStatus, Trigger } from '../tables.ts'

/** The settings that deliveries go by; asked for anew each time. */
export interface DeliverySettings {
  readonly retrySchedule: readonly number[]
  readonly jitter: number
  readonly disableAfter: number
  readonly disableMinFailingSeconds: number
  readonly retentionDays: number
  readonly workers: number
  readonly httpsOnly: boolean
  readonly allowNets: readonly string[]
  readonly proxyUrl?: string | undefined
  readonly smtpUrl?: string | undefined
  readonly smtpSender?: string | undefined
}

/** Where and how the deliveries of a subscription are sent. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly sealed: SealedSecrets
  /** Held deliveries are being let go, which keeps their order. */
  readonly isReleasing: boolean
  /** Of its lane: deliveries of another one are held or given up. */
  readonly epoch: number
}

/** A delivery that is to be sent now. */
export interface Due {
  readonly id: string
  readonly messageId: string
  readonly sequence: number | null
  readonly trigger: Trigger
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly tries: number
  readonly nextAttemptAtMs: number | null
  readonly epoch: number
}

/** A delivery that was committed just now, with all that is needed to send it. */
export interface NewDue {
  readonly subscriptionId: string
  readonly due: Due
  readonly message: Message
}

/** What is kept of one attempt. */
export interface Attempted {
  readonly startedAtMs: number
  readonly durationMs: number
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly truncated: boolean
  } | null
  /** Null: it was delivered. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** The receiver asked not to be tried before. */
  readonly notBeforeMs: number | null
}

export interface Outcome {
  readonly lane: HeldLane
  readonly due: Due
  readonly attempted: Attempted
}

/** A subscription whose deliveries this node sends until it gives the lane back. */
export interface HeldLane {
  readonly id: string
  claim: Pick<Claim<unknown, string>, 'holder' | 'renew'>
  target: Target | null
  failureCount: number
  queue: Due[]
  /** Deliveries queued, under way or not yet recorded: a read may find them again. */
  readonly known: Set<string>
  /** Recorded while a read was under way, which may still find them. */
  readonly recorded: Set<string>
  inFlight: number
  unrecorded: number
  targetAtMs: number
  /** Counts how often what was read of the subscription became old. */
  forgotten: number
  readAtMs: number
  /** When something was last found to be sent. */
  workedAtMs: number
  isReading: boolean
  /** The last read found all that was due. */
  isEmpty: boolean
}

/** Those that this node holds, by subscription. */
export type Lanes = Map<string, HeldLane>
