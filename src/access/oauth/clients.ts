import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Alongside, Database, Tx } from '#db'
import { type AccessLevel, type Actor, DomainError, notFound, type Random } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { Change, Changes } from '../changes.ts'
import type { Keys } from '../keys.ts'
import { isAbove } from '../records.ts'
import { digestOf } from '../secrets.ts'
import { findUser } from '../store/users.ts'
import { TOKENS_TOPIC } from './live-tokens.ts'
import type { Client, StoredClient } from './records.ts'
import { highestOf, renderScopes } from './scopes.ts'
import { createClientId, createClientSecret } from './secrets.ts'
import {
  type ClientFilter,
  deleteClient,
  deleteClientsOf,
  findClient,
  findClients,
  insertClient,
  updateClient,
} from './store.ts'
import type { OAuthTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly random: Random
  readonly changes: Changes
  readonly revisions: Pick<Revisions, 'bump'>
  readonly keys: Pick<Keys, 'createRecord' | 'update' | 'revoke'>
}

export interface NewClient {
  readonly name: string
  readonly planId: number
  /** The caller when absent. */
  readonly userId?: number | undefined
  readonly scopes: readonly AccessLevel[]
}

export interface ClientChange {
  readonly name?: string | undefined
  readonly planId?: number | undefined
  readonly scopes?: readonly AccessLevel[] | undefined
  readonly isDisabled?: boolean | undefined
}

/** The secret is shown once and known to nobody afterwards. */
export interface IssuedSecret {
  readonly client: Client
  readonly secret: string
}

/** A client by its number or its `client_id`. */
export type ClientRef = number | string

/** Administration of OAuth clients. Each owns a key record that its requests are counted on. */
export function createClients({ db, random, changes, revisions, keys }: Deps) {
  const reader: Kysely<OAuthTables> = db.main.reader
  return { create, get, list, update, rotateSecret, remove, removeOwnedBy }

  async function create(
    actor: Actor,
    input: NewClient,
    alongside?: Alongside<IssuedSecret>,
  ): Promise<IssuedSecret> {
    const { name, planId, userId = actor.userId, scopes } = input
    const clientId = createClientId(random)
    const secret = createClientSecret(random)
    return changes.change(async (change) => {
      await refuseBeyondUser(change, userId, scopes)
      const access = highestOf(scopes)
      const key = await keys.createRecord(
        { kind: 'oauth', userId, planId, name, access },
        change.tx,
      )
      await insertClient(trxOf(change), {
        client_id: clientId,
        secret_hash: digestOf(secret),
        user_id: userId,
        api_key_id: key.id,
        name,
        scopes: renderScopes(scopes),
        disabled: 0,
        generation: 1,
        secret_rotated_at: null,
        created_at: change.nowMs,
        updated_at: change.nowMs,
      })
      const issued = { client: await getIn(change, clientId), secret }
      await alongside?.(change.tx, issued)
      return issued
    })
  }

  async function get(ref: ClientRef): Promise<Client> {
    return (await findClient(reader, ref)) ?? unknownClient()
  }

  function list(filter: ClientFilter, query: ListQuery): Promise<FoundPage<Client>> {
    return findClients(reader, filter, query)
  }

  /** Disabling ends the tokens for good; scopes that are taken away leave them at once. */
  async function update(actor: Actor, ref: ClientRef, input: ClientChange): Promise<Client> {
    const { name, planId, scopes, isDisabled } = input
    return changes.change(async (change) => {
      const client = await getIn(change, ref)
      if (scopes) await refuseBeyondUser(change, client.userId, scopes)
      if (name !== undefined || planId !== undefined || scopes) {
        const access = scopes && highestOf(scopes)
        await keys.update(actor, client.keyId, { name, planId, access }, change.tx)
      }
      const isEnding = isDisabled === true && !client.isDisabled
      await updateClient(trxOf(change), client.id, {
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes: renderScopes(scopes) }),
        ...(isDisabled === undefined ? {} : { disabled: isDisabled ? 1 : 0 }),
        ...(isEnding ? { generation: client.generation + 1 } : {}),
        updated_at: change.nowMs,
      })
      await revisions.bump(change.tx, TOKENS_TOPIC)
      return getIn(change, client.id)
    })
  }

  /** The old secret fails at once; tokens live on until they expire. */
  async function rotateSecret(
    ref: ClientRef,
    alongside?: Alongside<IssuedSecret>,
  ): Promise<IssuedSecret> {
    const secret = createClientSecret(random)
    return changes.change(async (change) => {
      const { id } = await getIn(change, ref)
      await updateClient(trxOf(change), id, {
        secret_hash: digestOf(secret),
        secret_rotated_at: change.nowMs,
        updated_at: change.nowMs,
      })
      const issued = { client: await getIn(change, id), secret }
      await alongside?.(change.tx, issued)
      return issued
    })
  }

  /** Its key record stays, revoked: usage refers to it. */
  async function remove(actor: Actor, ref: ClientRef): Promise<void> {
    await changes.change(async (change) => {
      const client = await getIn(change, ref)
      await keys.revoke(actor, client.keyId, 'client deleted', change.tx)
      await deleteClient(trxOf(change), client.id)
      await revisions.bump(change.tx, TOKENS_TOPIC)
    })
  }

  /** For the end of a user; the key records are revoked with all other keys. */
  async function removeOwnedBy(tx: Tx, userId: number): Promise<void> {
    await deleteClientsOf(tx.as<OAuthTables>(), userId)
    await revisions.bump(tx, TOKENS_TOPIC)
  }
}

export type Clients = ReturnType<typeof createClients>

function trxOf({ tx }: Change) {
  return tx.as<OAuthTables>()
}

async function getIn(change: Change, ref: ClientRef): Promise<StoredClient> {
  return (await findClient(trxOf(change), ref)) ?? unknownClient()
}

/** Who does not exist is refused by the key record. */
async function refuseBeyondUser(
  { trx }: Change,
  userId: number,
  scopes: readonly AccessLevel[],
): Promise<void> {
  const user = await findUser(trx, userId)
  if (!user || scopes.every((scope) => !isAbove(scope, user.access))) return
  const message = `scopes exceed the ${user.access} access of the user`
  throw new DomainError('unprocessable', 'access_exceeds_user', message, {
    issues: [{ path: ['scopes'], rule: 'range', message }],
  })
}

function unknownClient(): never {
  throw notFound('client')
}
