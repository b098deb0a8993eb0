import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock, Revisions } from '#kernel'
import { ACCESS_TOPIC } from './changes.ts'
import { compileEndpoints } from './endpoints.ts'
import type { Used } from './last-used.ts'
import { lookUp } from './look-up.ts'
import { createLru } from './lru.ts'
import type { ActivePlan, Principal } from './principal.ts'
import { lowerOf } from './records.ts'
import { digestOf, prefixOf } from './secrets.ts'
import { type Changed, findChangedSince, newestRevision } from './store/changes.ts'
import { findSecrets, findStoredKey, type StoredKey, type StoredSecret } from './store/secrets.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly reader: Kysely<AccessTables>
  readonly clock: Clock
  readonly revisions: Pick<Revisions, 'watch'>
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
  /** Set for a secret that was rotated out: how long it still works. */
  readonly validUntilMs: number | null
}

export type ChangeListener = (changed: Changed) => void | Promise<void>

/** Beyond this keys are read from the database, by index, whenever they are used. */
const REMEMBERED = 20_000
const REMEMBERED_UNKNOWN = 10_000
const REMEMBERED_PLANS = 1_000
/** Protects the database from a client that repeats a wrong key; any change ends it sooner. */
const UNKNOWN_FOR_MS = 1_000

/**
 * Whose secret it is, remembered until something about the key, its owner or its plan changes. Only
 * what changed is forgotten, so that everybody else goes on while the database is away.
 */
export async function createDirectory({ reader, clock, revisions }: Deps) {
  const known = createLru<FoundSecret>(REMEMBERED)
  const unknown = createLru<number>(REMEMBERED_UNKNOWN)
  const plans = createLru<ActivePlan>(REMEMBERED_PLANS)
  const asking = new Map<string, Promise<FoundSecret | null>>()
  const listeners = new Set<ChangeListener>()
  let applied = await newestRevision(reader)
  let wanted = applied
  let applying: Promise<void> = Promise.resolve()
  /** Counts what was forgotten: an answer that was under way meanwhile may be old. */
  let forgotten = 0
  const endWatch = revisions.watch(ACCESS_TOPIC, follow, applied)
  return { findByRawKey, findById, follow, onChange, close: endWatch }

  /** At once when it is remembered; the same hashing whether it is known or not. */
  function findByRawKey(rawKey: string): FoundSecret | null | Promise<FoundSecret | null> {
    const digest = digestOf(rawKey)
    const found = known.get(digest)
    if (found) return found
    const since = unknown.get(digest)
    if (since !== undefined && clock.now() - since < UNKNOWN_FOR_MS) return null
    return ask(digest, async () => match(await findSecrets(reader, prefixOf(rawKey)), digest))
  }

  function findById(id: number): FoundSecret | null | Promise<FoundSecret | null> {
    const name = `#${id}`
    return (
      known.get(name) ??
      ask(name, async () => {
        const stored = await findStoredKey(reader, id)
        return stored ? { known: toKnown(stored), validUntilMs: null } : null
      })
    )
  }

  /** Several requests with the same new key ask the database once. */
  function ask(name: string, find: () => Promise<FoundSecret | null>) {
    const running = asking.get(name)
    if (running) return running
    const before = forgotten
    const asked = lookUp(find)
      .then((found) => {
        if (before === forgotten) remember(name, found)
        return found
      })
      .finally(() => {
        if (asking.get(name) === asked) asking.delete(name)
      })
    asking.set(name, asked)
    return asked
  }

  function remember(name: string, found: FoundSecret | null) {
    if (found) known.set(name, found)
    else unknown.set(name, clock.now())
  }

  /** Every secret with the prefix is compared, in constant time. */
  function match(secrets: readonly StoredSecret[], digest: string): FoundSecret | null {
    const presented = Buffer.from(digest, 'hex')
    let found: StoredSecret | null = null
    for (const secret of secrets) {
      const stored = Buffer.from(secret.hash, 'hex')
      const isEqual = stored.length === presented.length && timingSafeEqual(stored, presented)
      if (isEqual) found = secret
    }
    return found && { known: toKnown(found.key), validUntilMs: found.validUntilMs }
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
    const key = { id, userId: user.id, access, expiresAtMs, plan }
    return { id, stored, principal: { actor, key }, notedAtMs: 0 }
  }

  /** All keys of a plan share one compiled form of it. */
  function toPlan({ endpoints, revision, ...figures }: StoredKey['plan']): ActivePlan {
    const name = `${figures.id}/${revision}`
    const plan = plans.get(name) ?? { ...figures, permits: compileEndpoints(endpoints) }
    plans.set(name, plan)
    return plan
  }

  /** One after the other; each reading covers all that was asked for before it began. */
  function follow(revision: number): Promise<void> {
    wanted = Math.max(wanted, revision)
    applying = applying
      .catch(() => {})
      .then(async () => {
        if (applied >= revision) return
        const target = wanted
        const changed = await findChangedSince(reader, applied)
        forget(changed)
        applied = target
        for (const listener of listeners) await listener(changed)
      })
    return applying
  }

  function forget(changed: Changed) {
    forgotten++
    unknown.clear()
    asking.clear()
    if (!changed) return known.clear()
    known.dropWhere(({ known: { stored } }) => {
      const { keyIds, userIds, planIds } = changed
      return keyIds.has(stored.id) || userIds.has(stored.user.id) || planIds.has(stored.plan.id)
    })
  }

  /** Called after a change is in force here, by whomever it was made; the change waits for it. */
  function onChange(listener: ChangeListener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

export type Directory = Awaited<ReturnType<typeof createDirectory>>
