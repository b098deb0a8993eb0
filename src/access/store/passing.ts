import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'

// What lives for a while: sign-ins, stream tickets, links to a new password, and when keys were last used.

type Db = Kysely<AccessTables>
type SignIn = AccessTables['access_sign_ins']
type Ticket = AccessTables['access_tickets']
type Reset = AccessTables['access_password_resets']

export async function insertSignIn(db: Db, row: SignIn): Promise<void> {
  await db.insertInto('access_sign_ins').values(row).execute()
}

/** Those that last. */
export async function findSignIns(
  db: Db,
  hashes: readonly string[],
  nowMs: number,
): Promise<SignIn[]> {
  return db
    .selectFrom('access_sign_ins')
    .selectAll()
    .where('token_hash', 'in', hashes)
    .where('expires_at', '>', nowMs)
    .execute()
}

export async function deleteSignIn(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('access_sign_ins').where('token_hash', '=', hash).execute()
}

/** Links to a new password end with them: whoever has the password decides who is let in. */
export async function deleteSignInsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('access_sign_ins').where('user_id', '=', userId).execute()
  await db.deleteFrom('access_tickets').where('user_id', '=', userId).execute()
  await deleteResetsOf(db, userId)
}

export async function insertReset(db: Db, row: Reset): Promise<void> {
  await db.insertInto('access_password_resets').values(row).execute()
}

export async function findReset(db: Db, hash: string, nowMs: number): Promise<Reset | undefined> {
  return db
    .selectFrom('access_password_resets')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
}

/** Whoever takes it has it, as with tickets. */
export async function takeReset(db: Db, hash: string, nowMs: number): Promise<Reset | undefined> {
  return db
    .deleteFrom('access_password_resets')
    .where('token_hash', '=', hash)
    .where('expires_at', '>', nowMs)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteResetsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('access_password_resets').where('user_id', '=', userId).execute()
}

export async function insertTicket(db: Db, row: Ticket): Promise<void> {
  await db.insertInto('access_tickets').values(row).execute()
}

/** Whoever takes it has it: of several at once only one gets the row. */
export async function takeTicket(db: Db, hash: string): Promise<Ticket | undefined> {
  return db
    .deleteFrom('access_tickets')
    .where('ticket_hash', '=', hash)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteExpired(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('access_tickets').where('expires_at', '<=', nowMs).execute()
  await db.deleteFrom('access_sign_ins').where('expires_at', '<=', nowMs).execute()
  await db.deleteFrom('access_password_resets').where('expires_at', '<=', nowMs).execute()
}

/** In the order of ids, so that two nodes never wait for each other's rows. */
export async function noteUses(db: Db, keyIds: readonly number[], atMs: number): Promise<void> {
  const rows = keyIds.toSorted((a, b) => a - b).map((key_id) => ({ key_id, last_used_at: atMs }))
  await db
    .insertInto('access_key_uses')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet((row) => ({ last_used_at: row.ref('excluded.last_used_at') }))
        .whereRef('excluded.last_used_at', '>', 'access_key_uses.last_used_at'),
    )
    .execute()
}
