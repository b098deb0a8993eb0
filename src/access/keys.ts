import type { Kysely } from 'kysely'
import type { Alongside, Database, Tx } from '#db'
import { type AccessLevel, type Actor, type Clock, conflict, hasAccess, type Random } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { Change, Changes } from './changes.ts'
import type { KeyEvents } from './key-events.ts'
import {
  needAdmin,
  ownerFor,
  refuseBeyondAllowance,
  refusePast,
  refuseUnlessActive,
  unknownPlan,
  unknownUser,
  visible,
  withoutSecret,
} from './key-rules.ts'
import { keepAnAdmin, refuseLastEnd } from './last-admin.ts'
import { isAbove, type Key, lowerOf, type Plan, statusAt, type User } from './records.ts'
import { levelTooLow } from './refusals.ts'
import { createRawKey, digestOf, prefixOf } from './secrets.ts'
import { noteFormerPlan } from './store/former-plans.ts'
import { findKey, findKeys, insertKey, type KeyFilter, updateKeys } from './store/keys.ts'
import { findPlan } from './store/plans.ts'
import { findSecretOf, retireSecret } from './store/secrets.ts'
import { findUser } from './store/users.ts'
import type { AccessTables, KeyKind } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly changes: Changes
  readonly events: KeyEvents
}

export interface NewKey {
  readonly planId: number
  /** The caller when absent. */
  readonly userId?: number | undefined
  readonly name?: string | null | undefined
  readonly access?: AccessLevel | undefined
  readonly expiresAtMs?: number | null | undefined
}

export interface KeyChange {
  readonly name?: string | null | undefined
  readonly planId?: number | undefined
  readonly access?: AccessLevel | undefined
  readonly expiresAtMs?: number | null | undefined
}

/** The raw key is shown once and known to nobody afterwards. */
export interface IssuedKey {
  readonly key: Key
  readonly rawKey: string
}

/** Keys of one's own, or all of them for admins; another owner's key does not exist for anyone else. */
export function createKeys({ db, clock, random, changes, events }: Deps) {
  const reader: Kysely<AccessTables> = db.main.reader
  return { issue, createRecord, get, find, list, update, rotate, revoke }

  /** Access contract §6: by an admin for anybody, by an owner as far as the plan allows. */
  async function issue(
    actor: Actor,
    input: NewKey,
    alongside?: Alongside<IssuedKey>,
  ): Promise<IssuedKey> {
    const userId = input.userId ?? actor.userId
    const access = input.access ?? 'read'
    if (userId !== actor.userId) needAdmin(actor)
    if (isAbove(access, actor.access)) throw levelTooLow(access)
    const rawKey = createRawKey(random)
    return changes.change(async (change) => {
      const owner = await ownerFor(change, userId, access)
      const plan = (await findPlan(change.trx, input.planId)) ?? unknownPlan()
      refusePast(input.expiresAtMs, change.nowMs)
      if (!hasAccess(actor, 'admin')) await refuseBeyondAllowance(change, owner, plan)
      const key = await insertIssuedKey(change, events, { ...input, access, owner, plan, rawKey })
      await alongside?.(change.tx, { key, rawKey })
      return { key, rawKey }
    })
  }

  /** A record without a secret, for what is limited and metered like a key (access contract §5). */
  function createRecord(
    input: NewKey & { readonly kind: Exclude<KeyKind, 'key'>; readonly userId: number },
    tx?: Tx,
  ): Promise<Key> {
    const access = input.access ?? 'read'
    return changes.change(async (change) => {
      const owner = await ownerFor(change, input.userId, access)
      const plan = (await findPlan(change.trx, input.planId)) ?? unknownPlan()
      return insertIssuedKey(change, events, { ...input, access, owner, plan, rawKey: null })
    }, tx)
  }

  function find(id: number): Promise<Key | undefined> {
    return findKey(reader, id)
  }

  async function get(actor: Actor, id: number): Promise<Key> {
    return visible(actor, await find(id))
  }

  function list(actor: Actor, filter: KeyFilter, query: ListQuery): Promise<FoundPage<Key>> {
    const isAdmin = hasAccess(actor, 'admin')
    // A filter on somebody else finds nothing, exactly as one on nobody would.
    const isForeign = filter.userId !== undefined && filter.userId !== actor.userId
    const userId = isAdmin ? filter.userId : isForeign ? NOBODY : actor.userId
    return findKeys(reader, { ...filter, userId }, query, clock.now())
  }

  async function update(actor: Actor, id: number, input: KeyChange, tx?: Tx): Promise<Key> {
    return changes.change(
      (change) =>
        keepAnAdmin(change, async () => {
          const { trx, nowMs, revision } = change
          const key = visible(actor, await findKey(trx, id))
          const { name, planId, access, expiresAtMs } = input
          const isNameOnly =
            planId === undefined && access === undefined && expiresAtMs === undefined
          if (!isNameOnly) needAdmin(actor)
          if (key.status === 'revoked') throw conflict('key_revoked', 'The key is revoked for good')
          if (access !== undefined) await ownerFor(change, key.userId, access)
          refusePast(expiresAtMs, nowMs)
          await refuseLastEnd(change, key, expiresAtMs)
          const status = expiresAtMs === undefined ? key.status : 'active'
          const isRevived = status === 'active' && statusAt(key, nowMs) === 'expired'
          if ((planId !== undefined || isRevived) && !(await findPlan(trx, planId ?? key.planId))) {
            unknownPlan()
          }
          if (planId !== undefined && planId !== key.planId) {
            await noteFormerPlan(trx, { keyId: id, planId: key.planId, untilMs: nowMs })
          }
          await updateKeys(trx, [id], {
            ...(name === undefined ? {} : { name }),
            ...(planId === undefined ? {} : { plan_id: planId }),
            ...(access === undefined ? {} : { access }),
            ...(expiresAtMs === undefined ? {} : { expires_at: expiresAtMs }),
            status,
            revision,
          })
          const updated = await reload(change, id)
          if (planId !== undefined || isRevived) await events.changed(change.tx, updated)
          return updated
        }),
      tx,
    )
  }

  /**
   * Same id, new secret; the old one works for the grace time. A secret that was rotated out before
   * ends at once, so that never more than two work.
   */
  async function rotate(
    actor: Actor,
    id: number,
    graceSeconds: number,
    alongside?: Alongside<IssuedKey>,
  ): Promise<IssuedKey> {
    const rawKey = createRawKey(random)
    return changes.change(async (change) => {
      const { trx, nowMs, revision } = change
      const key = visible(actor, await findKey(trx, id))
      const owner = (await findUser(trx, key.userId)) ?? unknownUser()
      const level = lowerOf(key.access, owner.access)
      if (isAbove(level, actor.access)) throw levelTooLow(level)
      refuseUnlessActive(key, nowMs)
      const old = (await findSecretOf(trx, id)) ?? withoutSecret()
      const validUntilMs = nowMs + graceSeconds * 1000
      await retireSecret(
        trx,
        { key_hash: old.hash, key_prefix: old.prefix, key_id: id, valid_until: validUntilMs },
        nowMs,
      )
      await updateKeys(trx, [id], {
        key_hash: digestOf(rawKey),
        key_prefix: prefixOf(rawKey),
        rotated_at: nowMs,
        previous_key_prefix: old.prefix,
        previous_valid_until: validUntilMs,
        revision,
      })
      const rotated = await reload(change, id)
      await events.append(change, 'key.rotated', [rotated], owner)
      // Whoever has learned the old one would go on reading by a stream that is open.
      if (graceSeconds === 0) {
        await events.secretStopped(change.tx, { keyId: id, userId: key.userId })
      }
      await alongside?.(change.tx, { key: rotated, rawKey })
      return { key: rotated, rawKey }
    })
  }

  /** Final; again it changes nothing and is no error. */
  async function revoke(actor: Actor, id: number, reason: string | null, tx?: Tx): Promise<Key> {
    return changes.change(
      (change) =>
        keepAnAdmin(change, async () => {
          const { trx, nowMs, revision } = change
          const key = visible(actor, await findKey(trx, id))
          if (key.status === 'revoked') return key
          await updateKeys(trx, [id], {
            status: 'revoked',
            revoked_at: nowMs,
            revoke_reason: reason,
            revision,
          })
          const revoked: Key = { ...key, status: 'revoked' }
          const owner = await findUser(trx, key.userId)
          if (owner) await events.append(change, 'key.revoked', [revoked], owner)
          return revoked
        }),
      tx,
    )
  }
}

export type Keys = ReturnType<typeof createKeys>

const NOBODY = -1

interface Insertion extends Omit<NewKey, 'userId' | 'planId'> {
  readonly kind?: KeyKind
  readonly access: AccessLevel
  readonly owner: User
  readonly plan: Plan
  /** Null for records without a secret. */
  readonly rawKey: string | null
}

/** The part of issuing that the first start shares. */
export async function insertIssuedKey(
  change: Change,
  events: KeyEvents,
  { kind = 'key', name, access, expiresAtMs, owner, plan, rawKey }: Insertion,
): Promise<Key> {
  const { trx, nowMs, revision } = change
  const key = await insertKey(trx, {
    user_id: owner.id,
    plan_id: plan.id,
    kind,
    name: name ?? null,
    key_hash: rawKey === null ? null : digestOf(rawKey),
    key_prefix: rawKey === null ? null : prefixOf(rawKey),
    access,
    status: 'active',
    expires_at: expiresAtMs ?? null,
    created_at: nowMs,
    rotated_at: null,
    previous_key_prefix: null,
    previous_valid_until: null,
    revoked_at: null,
    revoke_reason: null,
    revision,
  })
  await events.append(change, 'key.created', [key], owner)
  return key
}

async function reload({ trx }: Change, id: number): Promise<Key> {
  const key = await findKey(trx, id)
  if (!key) throw new Error(`the key ${id} vanished inside a transaction`)
  return key
}
