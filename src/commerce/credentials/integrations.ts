import { hash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { AccessModule } from '#access'
import type { Alongside, Database, Tx } from '#db'
import {
  type AccessLevel,
  type Actor,
  type Clock,
  DomainError,
  notFound,
  type Random,
} from '#kernel'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { SecretBox } from '#secrets'
import type { Verifiable } from './oauth.ts'
import type { CredentialTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly access: Pick<AccessModule, 'keys'>
  /** Of the plan that is not limited; undefined when there is none. */
  findInternalPlan(): Promise<number | undefined>
}

export interface NewIntegration {
  readonly name: string
  readonly access: AccessLevel
  readonly planId?: number | undefined
}

export interface Integration {
  readonly id: number
  readonly name: string
  readonly access: AccessLevel
  readonly userId: number
  readonly keyId: number
  readonly consumerKey: string
  readonly createdAtMs: number
}

/** Shown once; nobody can read them afterwards. */
export interface IssuedIntegration {
  readonly integration: Integration
  readonly consumerSecret: string
  readonly accessToken: string
  readonly tokenSecret: string
}

export const INTEGRATION_SORTS = ['id', 'name', 'created_at'] as const
const COLUMNS = Object.fromEntries(INTEGRATION_SORTS.map((name) => [name, name]))
type Row = Selectable<CredentialTables['commerce_integrations']>

/** Programs that sign their requests. Each owns a key record that limits and meters it (contract §3.4). */
export function createIntegrations(deps: Deps) {
  const { db, clock, random, box, access, findInternalPlan } = deps
  const reader: Kysely<CredentialTables> = db.main.reader
  const writer: Kysely<CredentialTables> = db.main.writer
  return { create, get, list, regenerate, remove, findVerifiable, reseal }

  async function create(
    actor: Actor,
    { name, access: level, planId }: NewIntegration,
    alongside?: Alongside<IssuedIntegration>,
  ): Promise<IssuedIntegration> {
    const plan = planId ?? (await findInternalPlan())
    if (plan === undefined) throw noPlan()
    const secrets = newSecrets()
    return db.main.transaction(undefined, async (tx) => {
      const record = { kind: 'integration', userId: actor.userId, planId: plan, name } as const
      const key = await access.keys.createRecord({ ...record, access: level }, tx)
      const row = await tx
        .as<CredentialTables>()
        .insertInto('commerce_integrations')
        .values({
          ...{ name, user_id: actor.userId, api_key_id: key.id, access: level },
          ...sealed(secrets),
          ...{ revoked_at: null, created_at: clock.now() },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return finish(tx, row, secrets, alongside)
    })
  }

  async function get(id: number): Promise<Integration> {
    return toIntegration(await getRow(reader, id))
  }

  async function list(query: ListQuery): Promise<FoundPage<Integration>> {
    const present = reader.selectFrom('commerce_integrations').where('revoked_at', 'is', null)
    const page = await findPage(present, (found) => found.selectAll(), query, COLUMNS)
    return { ...page, rows: page.rows.map(toIntegration) }
  }

  /** All four values anew; the old ones are refused at once. */
  function regenerate(
    id: number,
    alongside?: Alongside<IssuedIntegration>,
  ): Promise<IssuedIntegration> {
    const secrets = newSecrets()
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<CredentialTables>()
      await getRow(trx, id)
      const row = await trx
        .updateTable('commerce_integrations')
        .set(sealed(secrets))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      return finish(tx, row, secrets, alongside)
    })
  }

  /** Its record stays, revoked: usage refers to it, and whoever still signs with it is told so. */
  function remove(actor: Actor, id: number): Promise<void> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<CredentialTables>()
      const row = await getRow(trx, id)
      await access.keys.revoke(actor, row.api_key_id, 'integration deleted', tx)
      await trx
        .updateTable('commerce_integrations')
        .set({ revoked_at: clock.now() })
        .where('id', '=', id)
        .execute()
    })
  }

  async function findVerifiable(consumerKey: string): Promise<Verifiable | undefined> {
    const row = await reader
      .selectFrom('commerce_integrations')
      .selectAll()
      .where('consumer_key', '=', consumerKey)
      .executeTakeFirst()
    if (!row) return undefined
    return {
      id: row.id,
      keyId: row.api_key_id,
      access: row.access,
      isRevoked: row.revoked_at !== null,
      tokenHash: row.token_hash,
      consumerSecret: box.open(row.consumer_secret, contextOf(row.consumer_key)),
      tokenSecret: box.open(row.token_secret, contextOf(row.consumer_key)),
    }
  }

  /** After a change of the master key: what the previous one sealed is sealed anew, so that it can be given up. */
  async function reseal(): Promise<void> {
    const rows = await reader.selectFrom('commerce_integrations').selectAll().execute()
    const old = rows.filter(({ consumer_secret, token_secret }) =>
      [consumer_secret, token_secret].some(box.needsReseal),
    )
    for (const { id, consumer_key: key, ...row } of old) {
      const again = (sealedBefore: string) =>
        box.seal(box.open(sealedBefore, contextOf(key)), contextOf(key))
      await writer
        .updateTable('commerce_integrations')
        .set({
          consumer_secret: again(row.consumer_secret),
          token_secret: again(row.token_secret),
        })
        .where('id', '=', id)
        // Made anew since, it is sealed with the new key.
        .where('consumer_key', '=', key)
        .execute()
    }
  }

  function newSecrets() {
    const text = () => random.text(32).toLowerCase()
    return { consumerKey: text(), consumerSecret: text(), accessToken: text(), tokenSecret: text() }
  }

  function sealed({ consumerKey, consumerSecret, accessToken, tokenSecret }: Secrets) {
    return {
      consumer_key: consumerKey,
      consumer_secret: box.seal(consumerSecret, contextOf(consumerKey)),
      token_hash: hash('sha256', accessToken, 'hex'),
      token_secret: box.seal(tokenSecret, contextOf(consumerKey)),
    }
  }
}

export type Integrations = ReturnType<typeof createIntegrations>

interface Secrets {
  readonly consumerKey: string
  readonly consumerSecret: string
  readonly accessToken: string
  readonly tokenSecret: string
}

async function finish(
  tx: Tx,
  row: Row,
  { consumerSecret, accessToken, tokenSecret }: Secrets,
  alongside: Alongside<IssuedIntegration> | undefined,
): Promise<IssuedIntegration> {
  const issued = { integration: toIntegration(row), consumerSecret, accessToken, tokenSecret }
  await alongside?.(tx, issued)
  return issued
}

async function getRow(db: Kysely<CredentialTables>, id: number): Promise<Row> {
  const row = await db
    .selectFrom('commerce_integrations')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('integration')
  return row
}

function toIntegration(row: Row): Integration {
  return {
    id: row.id,
    name: row.name,
    access: row.access,
    userId: row.user_id,
    keyId: row.api_key_id,
    consumerKey: row.consumer_key,
    createdAtMs: row.created_at,
  }
}

/** A sealed secret opens only for the consumer it was made for. */
export function contextOf(consumerKey: string): string {
  return `commerce:${consumerKey}`
}

function noPlan(): DomainError {
  const message = 'There is no plan Internal; name another with plan_id'
  return new DomainError('unprocessable', 'plan_required', message)
}
