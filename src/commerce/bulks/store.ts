import { type Insertable, type Kysely, sql } from 'kysely'
import { insertsOf, prepared, type SqlDialect, type Tx, toNewRows, type WriteStep } from '#db'
import type { Element } from './elements.ts'
import { type BulkMethod, type BulksTables, type OperationStatus, STATUS } from './tables.ts'

type Db = Kysely<BulksTables>

/** An operation that the worker has something to do with. */
export interface DueOperation {
  readonly bulkNo: number
  readonly bulkUuid: string
  readonly id: number
  readonly sku: string | null
  /** How long its data is, which is read when it is carried out. */
  readonly size: number
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
    return {
      bulk_no: no,
      id: from + at,
      sku,
      data,
      data_hash: dataHash,
      status: isRejected ? STATUS.rejected : STATUS.open,
      is_due: 1,
      message: rejection ?? '',
      error_code: isRejected ? 400 : null,
      done_at: isRejected ? startedAtMs : null,
    }
  })
  return insertsOf(db, 'commerce_operations', toNewRows(rows)).map((query) => ({
    query: { compile: () => query },
  }))
}

export async function acceptBulk(db: Db, no: number, nowMs: number) {
  await db.updateTable('commerce_bulks').set({ accepted_at: nowMs }).where('no', '=', no).execute()
}

type Key = Pick<DueOperation, 'bulkNo' | 'id'>

/** What operations of one bulk were sent with, by their ids. */
export async function findData(
  db: Db,
  operations: readonly Key[],
): Promise<ReadonlyMap<number, string>> {
  const [first] = operations
  if (!first) return new Map()
  const rows = await db
    .selectFrom('commerce_operations')
    .select(['id', 'data'])
    .where('bulk_no', '=', first.bulkNo)
    .where(
      'id',
      'in',
      operations.map(({ id }) => id),
    )
    .execute()
  return new Map(rows.map(({ id, data }) => [id, data]))
}

/**
 * Holds an operation while it is due. A plan is not carried out when it is no longer due, since another worker was
 * quicker; a transaction then gets false.
 */
export async function holdDue(tx: Tx, { rowLocks }: SqlDialect, operation: Key): Promise<boolean> {
  const trx = tx.as<BulksTables>()
  const { bulkNo, id } = operation
  const query = prepared(trx, 'hold an operation', [bulkNo, id], () =>
    trx
      .selectFrom('commerce_operations')
      .select('id')
      .where('bulk_no', '=', bulkNo)
      .where('id', '=', id)
      .where('is_due', '=', sql.lit(1))
      .$if(rowLocks, (query) => query.forUpdate()),
  )
  if (!tx.isPlan) return (await trx.executeQuery(query)).rows.length > 0
  tx.guard({ compile: () => query })
  return true
}

export interface Outcome {
  readonly status: OperationStatus
  readonly action: BulksTables['commerce_operations']['action']
  readonly message: string
  readonly errorCode: number | null
  readonly productId: number | null
}

export function saveOutcome(db: Db, operation: Key, outcome: Outcome, nowMs: number): WriteStep {
  const { bulkNo, id } = operation
  const { status, action, message, errorCode, productId } = outcome
  const values = [status, action, message, errorCode, productId, nowMs, bulkNo, id]
  const query = prepared(db, 'end an operation', values, () =>
    db
      .updateTable('commerce_operations')
      .set({
        ...{ status, action, message, error_code: errorCode, product_id: productId },
        ...{ done_at: nowMs, is_due: sql.lit(0) },
      })
      .where('bulk_no', '=', bulkNo)
      .where('id', '=', id),
  )
  return { query: { compile: () => query } }
}
