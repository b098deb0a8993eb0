import type { CounterStep } from '#counters'
import type { AccessLevel, Actor } from '#kernel'

/** A plan as the request path needs it; made anew when the plan changes, never altered. */
export interface ActivePlan {
  readonly id: number
  readonly name: string
  /** null: unlimited. */
  readonly requestsPerMonth: number | null
  readonly requestsPerMinute: number | null
  /** Whether the plan's endpoint list permits the call; `path` as the router resolved it. */
  permits(method: string, path: string): boolean
}

/** A key as the request path needs it. */
export interface ActiveKey {
  readonly id: number
  readonly userId: number
  readonly access: AccessLevel
  readonly expiresAtMs: number | null
  readonly plan: ActivePlan
  /** What a request of cost 1 adds; made once, because every request needs it. */
  readonly steps: readonly CounterStep[]
}

/** Who makes the request. `key` is what limits and usage are counted on; null: neither applies. */
export interface Principal {
  readonly actor: Actor
  readonly key: ActiveKey | null
}
