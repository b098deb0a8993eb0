import { type Insertable, type Kysely, type RawBuilder, sql } from 'kysely'
import { insertsOf, type SqlDialect, type Tx, type WriteStep } from '#db'
import type { Element } from './elements.ts'
import { type BulkMethod, type BulksTables, type OperationStatus, STATUS } from './tables.ts'

type Db = Kysely<BulksTables>

/** An operation that the worker has something to do with. */
export interface DueOperation {
  readonly bulkNo: number
  readonly bulkUuid: string
  readonly id: number
  readonly sku: string | null
  readonly data: string
  readonly dataHash: string | null
  readonly status: OperationStatus
  readonly message: string
  readonly method: BulkMethod
  readonly store: string | null
  readonly userId: number
  readonly consumerId: string
  readonly access: BulksTables['commerce_bulks']['access']
}

/** Not seen by anybody before `acceptBulk`. */
export async function insertBulk(
  db: Db,
  bulk: Insertable<BulksTables['commerce_bulks']>,
): Promise<number> {
  const { no } = await db
    .insertInto('commerce_bulks')
    .values(bulk)
    .returning('no')
    .executeTakeFirstOrThrow()
  return no
}

interface Place {
  readonly no: number
  readonly startedAtMs: number
  /** The id of the first of these elements. */
  readonly from: number
}

export function insertOperations(
  db: Db,
  { no, startedAtMs, from }: Place,
  elements: readonly Element[],
): WriteStep[] {
  const rows = elements.map(({ sku, data, dataHash, rejection }, at) => {
    const isRejected = rejection !== null
    return new Map<string, string | number | null>([
      ['bulk_no', no],
      ['id', from + at],
      ['sku', sku],
      ['data', data],
      ['data_hash', dataHash],
      ['status', isRejected ? STATUS.rejected : STATUS.open],
      ['is_due', 1],
      ['message', rejection ?? ''],
      ['error_code', isRejected ? 400 : null],
      ['done_at', isRejected ? startedAtMs : null],
    ])
  })
  return insertsOf(db, 'commerce_operations', rows).map((query) => ({
    query: { compile: () => query },
  }))
}

export async function acceptBulk(db: Db, no: number, nowMs: number) {
  await db.updateTable('commerce_bulks').set({ accepted_at: nowMs }).where('no', '=', no).execute()
}

/** In the order in which they were asked for: of bulks by arrival, of a bulk by position. */
export async function findDue(db: Db, limit: number): Promise<DueOperation[]> {
  const rows = await db
    .selectFrom('commerce_operations as o')
    .innerJoin('commerce_bulks as b', 'b.no', 'o.bulk_no')
    .select([
      ...([
        'o.bulk_no',
        'o.id',
        'o.sku',
        'o.data',
        'o.data_hash',
        'o.status',
        'o.message',
      ] as const),
      ...(['b.uuid', 'b.method', 'b.store', 'b.user_id', 'b.consumer_id', 'b.access'] as const),
    ])
    // As a literal, or the partial index would not be used.
    .where('o.is_due', '=', sql.lit(1))
    .where('b.accepted_at', 'is not', null)
    .orderBy('o.bulk_no')
    .orderBy('o.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...{ bulkNo: row.bulk_no, bulkUuid: row.uuid, id: row.id, sku: row.sku, data: row.data },
    ...{ dataHash: row.data_hash, status: row.status, message: row.message, method: row.method },
    ...{ store: row.store, userId: row.user_id, consumerId: row.consumer_id, access: row.access },
  }))
}

type Key = Pick<DueOperation, 'bulkNo' | 'id'>

/**
 * These operations of one bulk, held while they are due: false in a transaction that finds one which is not, since
 * another worker was quicker; a plan is then not carried out.
 */
export async function holdDue(
  tx: Tx,
  dialect: SqlDialect,
  operations: readonly Key[],
): Promise<boolean> {
  const trx = tx.as<BulksTables>()
  const held = trx
    .selectFrom('commerce_operations')
    .select('id')
    .where(areThese(dialect, operations))
    .where('is_due', '=', 1)
    .$if(dialect.rowLocks, (query) => query.forUpdate())
  const count = operations.length
  if (!tx.isPlan) return (await held.execute()).length === count
  const query = sql`select count(*) from ${held.as('held')} having count(*) = ${count}`
  tx.guard({ compile: () => query.compile(trx) })
  return true
}

export interface Outcome {
  readonly status: OperationStatus
  readonly action: BulksTables['commerce_operations']['action']
  readonly message: string
  readonly errorCode: number | null
}

/** Operations of one bulk that came to the same, each with the product it made or changed. */
export async function saveOutcome(
  db: Db,
  dialect: SqlDialect,
  operations: readonly (Key & { readonly productId: number | null })[],
  { status, action, message, errorCode }: Outcome,
  nowMs: number,
) {
  const products = operations.filter(({ productId }) => productId !== null)
  const ranks = Object.fromEntries(products.map(({ id, productId }) => [id, productId]))
  await db
    .updateTable('commerce_operations')
    .set({
      ...{ status, action, message, error_code: errorCode, done_at: nowMs, is_due: 0 },
      ...(products.length > 0
        ? { product_id: dialect.rankOf(sql.ref('id'), sql`${JSON.stringify(ranks)}`) }
        : {}),
    })
    .where(areThese(dialect, operations))
    .execute()
}

/** Of one bulk. */
function areThese(dialect: SqlDialect, operations: readonly Key[]): RawBuilder<boolean> {
  const no = operations[0]?.bulkNo ?? 0
  const ids = operations.map(({ id }) => id)
  const isOne = dialect.isOneOf(sql.ref('id'), ids, 'integer')
  return sql<boolean>`(bulk_no = ${no} and ${isOne})`
}
