import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { StreamTables } from './tables.ts'

type Db = Kysely<StreamTables>
type Instant = RawBuilder<number>

export interface NodeSeats {
  readonly name: string
  readonly node: string
  readonly seats: number
}

/** No node has this name: its row is what those who take a seat of the name wait for. */
const NOBODY = ''
const ROWS_PER_INSERT = 500

/** Until the commit nobody else gets past it; an upsert, because the row may not be there yet. */
export async function lockSeats(db: Db, name: string, expiresAt: Instant): Promise<void> {
  await writeSeats(db, [{ name, node: NOBODY, seats: 0 }], expiresAt)
}

/** Seats of nodes that live. To be read by a statement after the lock, or it may be too old. */
export async function findSeatsElsewhere(
  db: Db,
  { name, node }: Omit<NodeSeats, 'seats'>,
  now: Instant,
): Promise<number> {
  const { seats } = await db
    .selectFrom('access_stream_seats')
    .select(sql<number>`coalesce(sum(seats), 0)`.as('seats'))
    .where('name', '=', name)
    .where('node', '!=', node)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(seats)
}

/** What the node has of each name from now on. */
export async function writeSeats(
  db: Db,
  all: readonly NodeSeats[],
  expiresAt: Instant,
): Promise<void> {
  for (let at = 0; at < all.length; at += ROWS_PER_INSERT) {
    const rows = all.slice(at, at + ROWS_PER_INSERT)
    await db
      .insertInto('access_stream_seats')
      .values(rows.map((row) => ({ ...row, expires_at: expiresAt })))
      .onConflict((conflict) =>
        conflict.columns(['name', 'node']).doUpdateSet((row) => ({
          seats: row.ref('excluded.seats'),
          expires_at: row.ref('excluded.expires_at'),
        })),
      )
      .execute()
  }
}

export async function removeSeats(db: Db, node: string): Promise<void> {
  await db.deleteFrom('access_stream_seats').where('node', '=', node).execute()
}

export async function purgeSeats(db: Db, now: Instant): Promise<void> {
  await db.deleteFrom('access_stream_seats').where('expires_at', '<=', now).execute()
}
