import type { Insertable, Kysely, Updateable } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Client, StoredClient, StoredToken } from './records.ts'
import { parseScopes } from './scopes.ts'
import type { OAuthTables } from './tables.ts'

type Db = Kysely<OAuthTables>

export interface ClientFilter {
  readonly userId?: number | undefined
}

export const CLIENT_SORTS = ['id', 'name', 'user_id', 'created_at', 'updated_at'] as const

const COLUMNS = Object.fromEntries(
  CLIENT_SORTS.map((name) => [name, `access_oauth_clients.${name}`]),
)

const PURGE_BATCH = 500

/** By its number or by its `client_id`. */
export async function findClient(db: Db, ref: number | string): Promise<StoredClient | undefined> {
  const column = typeof ref === 'number' ? 'id' : 'client_id'
  const row = await withPlan(clients(db))
    .where(`access_oauth_clients.${column}`, '=', ref)
    .executeTakeFirst()
  return row && toClient(row)
}

export async function findClients(
  db: Db,
  { userId }: ClientFilter,
  list: ListQuery,
): Promise<FoundPage<Client>> {
  let filtered = clients(db)
  if (userId !== undefined) filtered = filtered.where('access_oauth_clients.user_id', '=', userId)
  const page = await findPage(filtered, withPlan, list, COLUMNS)
  return { ...page, rows: page.rows.map(toClient) }
}

export async function insertClient(
  db: Db,
  row: Insertable<OAuthTables['access_oauth_clients']>,
): Promise<void> {
  await db.insertInto('access_oauth_clients').values(row).execute()
}

export async function updateClient(
  db: Db,
  id: number,
  change: Updateable<OAuthTables['access_oauth_clients']>,
): Promise<void> {
  await db.updateTable('access_oauth_clients').set(change).where('id', '=', id).execute()
}

export async function deleteClient(db: Db, id: number): Promise<void> {
  await db.deleteFrom('access_oauth_clients').where('id', '=', id).execute()
}

export async function deleteClientsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('access_oauth_clients').where('user_id', '=', userId).execute()
}

export async function insertToken(
  db: Db,
  row: Insertable<OAuthTables['access_oauth_tokens']>,
): Promise<void> {
  await db.insertInto('access_oauth_tokens').values(row).execute()
}

/** Undefined also when the client is gone, disabled, or has ended the tokens it had. */
export async function findToken(db: Db, hash: string): Promise<StoredToken | undefined> {
  const row = await db
    .selectFrom('access_oauth_tokens as token')
    .innerJoin('access_oauth_clients as client', (join) =>
      join
        .onRef('client.client_id', '=', 'token.client_id')
        .onRef('client.generation', '=', 'token.generation'),
    )
    .select([
      'token.client_id',
      'token.scopes',
      'token.expires_at',
      'client.api_key_id',
      'client.scopes as client_scopes',
    ])
    .where('token.token_hash', '=', hash)
    .where('client.disabled', '=', 0)
    .executeTakeFirst()
  if (!row) return undefined
  const allowed = toScopes(row.client_scopes)
  return {
    clientId: row.client_id,
    keyId: row.api_key_id,
    scopes: toScopes(row.scopes).filter((scope) => allowed.includes(scope)),
    expiresAtMs: row.expires_at,
  }
}

/** True when there was such a token; `clientId` null deletes it whosever it is. */
export async function deleteToken(db: Db, hash: string, clientId: string | null): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('access_oauth_tokens')
    .where('token_hash', '=', hash)
    .$if(clientId !== null, (query) => query.where('client_id', '=', clientId ?? ''))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes some of the expired tokens; `more` when there may be others. */
export async function purgeTokens(db: Db, nowMs: number) {
  const { numDeletedRows } = await db
    .deleteFrom('access_oauth_tokens')
    .where('token_hash', 'in', (query) =>
      query
        .selectFrom('access_oauth_tokens')
        .select('token_hash')
        .where('expires_at', '<=', nowMs)
        .limit(PURGE_BATCH),
    )
    .executeTakeFirst()
  const deleted = Number(numDeletedRows)
  return { deleted, more: deleted === PURGE_BATCH }
}

/** The plan of a client is the one of its key record. */
function clients(db: Db) {
  return db
    .selectFrom('access_oauth_clients')
    .innerJoin('access_keys', 'access_keys.id', 'access_oauth_clients.api_key_id')
}

function withPlan(query: ReturnType<typeof clients>) {
  return query.selectAll('access_oauth_clients').select('access_keys.plan_id')
}

type Row = Awaited<ReturnType<ReturnType<typeof withPlan>['executeTakeFirstOrThrow']>>

function toClient(row: Row): StoredClient {
  return {
    id: row.id,
    clientId: row.client_id,
    secretHash: row.secret_hash,
    name: row.name,
    userId: row.user_id,
    planId: row.plan_id,
    keyId: row.api_key_id,
    scopes: toScopes(row.scopes),
    isDisabled: row.disabled === 1,
    generation: row.generation,
    secretRotatedAtMs: row.secret_rotated_at,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toScopes(stored: string) {
  return parseScopes(stored) ?? []
}
