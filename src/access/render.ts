import type { Static } from 'typebox'
import { renderTime, renderTimeOrNull } from '#kernel'
import type { IssuedKey } from './keys.ts'
import { renderCents } from './price.ts'
import { type Key, type Plan, statusAt, type User } from './records.ts'
import type * as schemas from './schemas.ts'

export function renderUser(user: User): Static<typeof schemas.User> {
  const { id, uuid, email, name, access, status } = user
  return { id, uuid, email, name, access, status, ...renderTimes(user) }
}

export function renderPlan(plan: Plan): Static<typeof schemas.Plan> {
  return { ...renderOfferedPlan(plan), ...renderTimes(plan) }
}

/** What somebody who may buy the plan sees of it. */
export function renderOfferedPlan(plan: Plan): Static<typeof schemas.Plan> {
  return {
    id: plan.id,
    name: plan.name,
    ...renderLimits(plan),
    endpoints: [...plan.endpoints],
    price_monthly: renderCents(plan.priceCents),
    currency: plan.currency,
    keys_per_user: plan.keysPerUser,
  }
}

export function renderLimits({ requestsPerMonth, requestsPerMinute }: Plan) {
  return {
    requests_per_month: requestsPerMonth ?? -1,
    requests_per_minute: requestsPerMinute ?? -1,
  }
}

export function renderKey(key: Key, nowMs: number): Static<typeof schemas.Key> {
  const { id, userId, planId, name, prefix, access, kind } = key
  return {
    id,
    user_id: userId,
    plan_id: planId,
    name,
    key_prefix: prefix,
    access,
    status: statusAt(key, nowMs),
    expires_at: renderTimeOrNull(key.expiresAtMs),
    created_at: renderTime(key.createdAtMs),
    last_used_at: renderTimeOrNull(key.lastUsedAtMs),
    rotated_at: renderTimeOrNull(key.rotatedAtMs),
    previous_key_prefix: key.previousPrefix,
    previous_valid_until: renderTimeOrNull(key.previousValidUntilMs),
    ...(kind === 'key' ? {} : { kind }),
  }
}

/** Doc 2 §2.2: `key` and `prefix`, returned once. */
export function renderIssuedKey({ key, rawKey }: IssuedKey, nowMs: number) {
  return { ...renderKey(key, nowMs), key: rawKey, prefix: key.prefix ?? '' }
}

function renderTimes({ createdAtMs, updatedAtMs }: { createdAtMs: number; updatedAtMs: number }) {
  return { created_at: renderTime(createdAtMs), updated_at: renderTime(updatedAtMs) }
}
