import { type Clock, createLru } from '#kernel'
import { compileEndpoints } from './endpoints.ts'
import type { Used } from './last-used.ts'
import { limitSteps } from './limits.ts'
import { lookUp } from './look-up.ts'
import type { ActivePlan, Principal } from './principal.ts'
import { lowerOf } from './records.ts'
import { digestOf, prefixOf } from './secrets.ts'
import type { Changed } from './store/changes.ts'
import type { StoredKey } from './store/secrets.ts'

/** A secret as it is stored; it can go from one thread to another. */
export interface FoundKey {
  readonly stored: StoredKey
  /** Set for a secret that was rotated out: how long it still works. */
  readonly validUntilMs: number | null
}

/** Where keys are looked up that are not remembered. */
export interface KeySource {
  /** The one with this digest; only those that begin with the prefix come into question. */
  findSecret(digest: string, prefix: string): Promise<FoundKey | null>
  findKey(id: number): Promise<FoundKey | null>
}

/** A key that is known, whatever its state: `credentials/key.ts` decides whether it may be used. */
export interface KnownKey extends Used {
  readonly stored: StoredKey
  /** Who calls when it may be used. */
  readonly principal: Principal
}

/** A secret that was presented and found. */
export interface FoundSecret {
  readonly known: KnownKey
  readonly validUntilMs: number | null
}

interface Deps {
  readonly source: KeySource
  readonly clock: Pick<Clock, 'now'>
}

type MaybePromise<T> = T | Promise<T>

/** Beyond this keys are looked up whenever they are used. */
const REMEMBERED = 20_000
const REMEMBERED_UNKNOWN = 10_000
const REMEMBERED_PLANS = 1_000
/** Their texts are in memory for as long, not only during a request. */
const REMEMBERED_TEXTS = 1_000
/** Protects the database from a client that repeats a wrong key; any change ends it sooner. */
const UNKNOWN_FOR_MS = 1_000

/** Whose secret it is, remembered until told to forget. Needs no database, only a source. */
export function createKnownKeys({ source, clock }: Deps) {
  const known = createLru<string, FoundSecret>(REMEMBERED)
  const unknown = createLru<string, number>(REMEMBERED_UNKNOWN)
  const plans = createLru<string, ActivePlan>(REMEMBERED_PLANS)
  /** Digests of keys that were found, by their texts: hashing is half of what it takes to find one. */
  const digests = createLru<string, string>(REMEMBERED_TEXTS)
  const asking = new Map<string, Promise<FoundSecret | null>>()
  /** Counts what was forgotten: an answer that was under way meanwhile may be old. */
  let forgotten = 0
  return { findByRawKey, findByDigest, findById, forget }

  /** At once when it is remembered. */
  function findByRawKey(rawKey: string): MaybePromise<FoundSecret | null> {
    const kept = digests.find(rawKey)
    const digest = kept ?? digestOf(rawKey)
    const found = findByDigest(digest, prefixOf(rawKey))
    if (kept === undefined && found && !(found instanceof Promise)) digests.keep(rawKey, digest)
    return found
  }

  function findByDigest(digest: string, prefix: string): MaybePromise<FoundSecret | null> {
    const found = known.find(digest)
    if (found) return found
    const since = unknown.find(digest)
    if (since !== undefined && clock.now() - since < UNKNOWN_FOR_MS) return null
    return ask(digest, () => source.findSecret(digest, prefix))
  }

  function findById(id: number): MaybePromise<FoundSecret | null> {
    const name = `#${id}`
    return known.find(name) ?? ask(name, () => source.findKey(id))
  }

  /** Several requests with the same new key ask once. */
  function ask(name: string, find: () => Promise<FoundKey | null>) {
    const running = asking.get(name)
    if (running) return running
    const before = forgotten
    const asked = lookUp(find)
      .then((found) => {
        const secret = found && toSecret(found)
        if (before === forgotten) remember(name, secret)
        return secret
      })
      .finally(() => {
        if (asking.get(name) === asked) asking.delete(name)
      })
    asking.set(name, asked)
    return asked
  }

  function remember(name: string, found: FoundSecret | null) {
    if (found) known.keep(name, found)
    else unknown.keep(name, clock.now())
  }

  function toSecret({ stored, validUntilMs }: FoundKey): FoundSecret {
    return { known: toKnown(stored), validUntilMs }
  }

  function toKnown(stored: StoredKey): KnownKey {
    const { id, user, expiresAtMs } = stored
    const access = lowerOf(stored.access, user.access)
    const plan = toPlan(stored.plan)
    const actor = {
      userId: user.id,
      consumerId: user.uuid,
      apiKeyId: id,
      planId: plan.id,
      access,
      kind: 'key' as const,
    }
    const key = { id, userId: user.id, access, expiresAtMs, plan, steps: limitSteps(id, plan) }
    return { id, stored, principal: { actor, key }, notedAtMs: 0 }
  }

  /** All keys of a plan share one compiled form of it. */
  function toPlan({ endpoints, revision, ...figures }: StoredKey['plan']): ActivePlan {
    const name = `${figures.id}/${revision}`
    const plan = plans.find(name) ?? { ...figures, permits: compileEndpoints(endpoints) }
    plans.keep(name, plan)
    return plan
  }

  /** Only what changed, so that everybody else goes on while the database is away. */
  function forget(changed: Changed) {
    forgotten++
    unknown.clear()
    digests.clear()
    asking.clear()
    if (!changed) return known.clear()
    known.dropWhere(({ known: { stored } }) => {
      const { keyIds, userIds, planIds } = changed
      return keyIds.has(stored.id) || userIds.has(stored.user.id) || planIds.has(stored.plan.id)
    })
  }
}

export type KnownKeys = ReturnType<typeof createKnownKeys>
