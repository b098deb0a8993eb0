/** A key as usage needs it; from the part that keeps users, plans and keys. */
export interface KeyInfo {
  readonly id: number
  readonly userId: number
  /** The owner's consumer id, to whom events of the key belong. */
  readonly consumerId: string
  readonly status: 'active' | 'revoked' | 'expired'
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
  readonly plan: PlanInfo
}

export interface PlanInfo {
  readonly id: number
  readonly name: string
  /** null: unlimited. */
  readonly requestsPerMonth: number | null
  readonly requestsPerMinute: number | null
  readonly priceCents: number
  readonly currency: string
}

/** What an invoice says of a plan. */
export type BilledPlan = Pick<PlanInfo, 'id' | 'name' | 'priceCents' | 'currency'>

/** The plan that a key had until a moment. */
export interface FormerPlan {
  readonly keyId: number
  /** With its present price. */
  readonly plan: BilledPlan
  readonly untilMs: number
}

/** The price that a plan had until a moment. */
export interface FormerPrice {
  readonly planId: number
  readonly priceCents: number
  readonly currency: string
  readonly untilMs: number
}

/** How usage asks for keys. */
export interface KeyLookup {
  /** Also of revoked and expired keys: their history stays. */
  findKey(id: number): Promise<KeyInfo | undefined>
  /** All keys the user ever had; undefined when there is no such user. */
  findKeysOfUser(userId: number): Promise<readonly KeyInfo[] | undefined>
  /** All keys that have the plan now; undefined when there is no such plan. */
  findKeysOfPlan(planId: number): Promise<readonly KeyInfo[] | undefined>
  findAllKeys(): Promise<readonly KeyInfo[]>
  /** What a person calls them; of a deleted user nothing. */
  findNames(of: 'key' | 'user' | 'plan', ids: readonly number[]): Promise<Map<number, string>>
  /** Those that ended after the moment, oldest first. */
  findFormerPlans(keyIds: readonly number[], sinceMs: number): Promise<readonly FormerPlan[]>
  findFormerPrices(planIds: readonly number[], sinceMs: number): Promise<readonly FormerPrice[]>
}

/** Whether the key could be used at some moment of that time; what happens to it afterwards changes nothing. */
export function isActiveWithin(key: KeyInfo, fromMs: number, toMs: number): boolean {
  const { createdAtMs, expiresAtMs, revokedAtMs } = key
  const endedAtMs = Math.min(expiresAtMs ?? Infinity, revokedAtMs ?? Infinity)
  return createdAtMs < toMs && endedAtMs > fromMs
}

/** The stored status follows an expiry within a minute; this one holds at its instant. */
export function isActive(key: KeyInfo, nowMs: number): boolean {
  return key.status === 'active' && (key.expiresAtMs === null || key.expiresAtMs > nowMs)
}
