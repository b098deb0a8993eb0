import { type Kysely, sql } from 'kysely'
import type { DueOperation } from './store.ts'
import type { BulksTables } from './tables.ts'

type Db = Kysely<BulksTables>

const OPERATIONS_PER_TURN = 1_000
/** Those who are not among them come with the next turn. */
const USERS_PER_TURN = 20
/** So many of one user come before the next user has his. */
const OPERATIONS_IN_A_ROW = 100

/**
 * Chooses what is carried out next. Users take turns, however much one of them has sent. An operation is passed over
 * while an earlier bulk, whoever sent it, has one of its SKU to do.
 */
export function createDueOperations(db: Db) {
  let lastUser = 0
  return { next }

  /** Those of one SKU are of one bulk and in the order of its request. */
  async function next(): Promise<DueOperation[]> {
    const users = await nextUsers()
    const share = Math.ceil(OPERATIONS_PER_TURN / Math.max(1, users.length))
    const found: DueOperation[][] = []
    for (const user of users) found.push(await findDue(db, user, share))
    return inTurns(found)
  }

  /** Beginning behind the one whom the last turn ended with. */
  async function nextUsers(): Promise<number[]> {
    const users = await findUsers(db)
    const first = Math.max(
      0,
      users.findIndex((user) => user > lastUser),
    )
    const chosen = [...users.slice(first), ...users.slice(0, first)].slice(0, USERS_PER_TURN)
    lastUser = chosen.at(-1) ?? 0
    return chosen
  }
}

/** Some of each list, then more of each. */
export function inTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const taken: Item[] = []
  for (let from = 0; from < longest; from += OPERATIONS_IN_A_ROW) {
    for (const list of lists) taken.push(...list.slice(from, from + OPERATIONS_IN_A_ROW))
  }
  return taken
}

/** Those of which something may be to do. */
export function openBulks(db: Db) {
  return db
    .selectFrom('commerce_bulks')
    .where('completed_at', 'is', null)
    .where('accepted_at', 'is not', null)
}

async function findUsers(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('commerce_bulks')
    .select('user_id')
    .distinct()
    .where('completed_at', 'is', null)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** In the order in which they were asked for: of bulks by arrival, of a bulk by position. */
async function findDue(db: Db, userId: number, limit: number): Promise<DueOperation[]> {
  const rows = await db
    .selectFrom('commerce_operations as o')
    .innerJoin('commerce_bulks as b', 'b.no', 'o.bulk_no')
    .select([
      ...(['o.bulk_no', 'o.id', 'o.sku', 'o.data_hash', 'o.status', 'o.message'] as const),
      ...(['b.uuid', 'b.method', 'b.store', 'b.user_id', 'b.consumer_id', 'b.access'] as const),
      // Unlike `length` this reads nothing of the text itself.
      sql<number>`octet_length(o.data)`.as('size'),
    ])
    // As a literal, or the partial index would not be used.
    .where('o.is_due', '=', sql.lit(1))
    .where('b.user_id', '=', userId)
    .where('b.accepted_at', 'is not', null)
    .where('b.completed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('commerce_operations as earlier')
            .innerJoin('commerce_bulks as of', 'of.no', 'earlier.bulk_no')
            .select('earlier.id')
            .whereRef('earlier.sku', '=', 'o.sku')
            .whereRef('earlier.bulk_no', '<', 'o.bulk_no')
            .where('earlier.is_due', '=', sql.lit(1))
            .where('of.accepted_at', 'is not', null),
        ),
      ),
    )
    .orderBy('b.no')
    .orderBy('o.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...{ bulkNo: row.bulk_no, bulkUuid: row.uuid, id: row.id, sku: row.sku, size: row.size },
    ...{ dataHash: row.data_hash, status: row.status, message: row.message, method: row.method },
    ...{ store: row.store, userId: row.user_id, consumerId: row.consumer_id, access: row.access },
  }))
}
