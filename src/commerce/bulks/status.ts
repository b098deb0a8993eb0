import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import { type Actor, hasAccess, notFound } from '#kernel'
import { type BulksTables, type OperationStatus, STATUS } from './tables.ts'

type Db = Kysely<BulksTables>

export interface Counts {
  readonly open: number
  readonly complete: number
  readonly retriable: number
  readonly failed: number
  readonly rejected: number
}

export interface Operation {
  readonly bulkUuid: string
  readonly id: number
  readonly status: OperationStatus
  readonly action: BulksTables['commerce_operations']['action']
  readonly message: string
  readonly errorCode: number | null
  /** What it was sent with, where that was asked for. */
  readonly data: string
  readonly sku: string | null
  readonly productId: number | null
  readonly method: BulksTables['commerce_bulks']['method']
  readonly startedAtMs: number
}

export interface BulkStatus {
  readonly uuid: string
  readonly userId: number
  readonly userType: 1 | 2
  readonly method: BulksTables['commerce_bulks']['method']
  readonly operationCount: number
  readonly startedAtMs: number
  /** Null while something is open. */
  readonly finishedAtMs: number | null
  readonly counts: Counts
  readonly operations: readonly Operation[]
}

export interface PageOf {
  readonly pageSize: number
  readonly currentPage: number
  /** With what operations were sent with. */
  readonly withData?: boolean
}

/** A bulk, its counts and a page of its operations, all of the same moment. */
export async function getStatus(
  db: Db,
  actor: Actor,
  uuid: string,
  { pageSize, currentPage, withData = false }: PageOf,
): Promise<BulkStatus> {
  const first = (currentPage - 1) * pageSize
  const rows = await db
    .with(
      (name) => name('bulk').materialized(),
      (cte) =>
        cte
          .selectFrom('commerce_bulks as b')
          .select([
            ...(['b.no', 'b.uuid', 'b.user_id', 'b.user_type', 'b.method'] as const),
            ...(['b.operation_count', 'b.started_at'] as const),
          ])
          .select((e) => [
            countOf(e, STATUS.open).as('open'),
            countOf(e, STATUS.complete).as('complete'),
            countOf(e, STATUS.retriable).as('retriable'),
            countOf(e, STATUS.failed).as('failed'),
            countOf(e, STATUS.rejected).as('rejected'),
            e
              .selectFrom('commerce_operations as o')
              .select(({ fn }) => fn.max('o.done_at').as('last'))
              .whereRef('o.bulk_no', '=', 'b.no')
              .as('finished_at'),
          ])
          .where('b.uuid', '=', uuid)
          .where('b.accepted_at', 'is not', null)
          .$if(!hasAccess(actor, 'admin'), (query) => query.where('b.user_id', '=', actor.userId)),
    )
    .selectFrom('bulk')
    .leftJoin('commerce_operations as o', (join) =>
      join
        .onRef('o.bulk_no', '=', 'bulk.no')
        .on('o.id', '>=', first)
        .on('o.id', '<', first + pageSize),
    )
    .selectAll('bulk')
    .select([
      ...(['o.id', 'o.status', 'o.action', 'o.message', 'o.error_code'] as const),
      ...(['o.sku', 'o.product_id'] as const),
    ])
    .$if(withData, (query) => query.select('o.data'))
    .orderBy('o.id')
    .execute()
  const [bulk] = rows
  if (!bulk) throw notFound('bulk')
  const { open, complete, retriable, failed, rejected, finished_at: finishedAtMs } = bulk
  return {
    ...{ uuid, userId: bulk.user_id, userType: bulk.user_type, method: bulk.method },
    ...{ operationCount: bulk.operation_count, startedAtMs: bulk.started_at },
    finishedAtMs: open === 0 ? finishedAtMs : null,
    counts: { open, complete, retriable, failed, rejected },
    operations: rows.flatMap((row) => (row.id === null ? [] : [toOperation({ ...row, uuid })])),
  }
}

function countOf(
  e: ExpressionBuilder<BulksTables & { b: BulksTables['commerce_bulks'] }, 'b'>,
  status: OperationStatus,
) {
  return e
    .selectFrom('commerce_operations as o')
    .select(sql<number>`count(*)`.as('count'))
    .whereRef('o.bulk_no', '=', 'b.no')
    .where('o.status', '=', status)
    .$asScalar()
}

type Row = Selectable<BulksTables['commerce_operations']> &
  Pick<Selectable<BulksTables['commerce_bulks']>, 'uuid' | 'method' | 'started_at'>

export function toOperation(
  row: {
    readonly [K in Exclude<keyof Row, 'bulk_no' | 'data' | 'data_hash' | 'is_due' | 'done_at'>]:
      | Row[K]
      | null
  } & { readonly data?: string | null },
): Operation {
  return {
    ...{ bulkUuid: row.uuid ?? '', id: row.id ?? 0, status: row.status ?? STATUS.open },
    ...{ action: row.action, message: row.message ?? '', errorCode: row.error_code },
    ...{ data: row.data ?? '', sku: row.sku, productId: row.product_id },
    ...{ method: row.method ?? 'POST', startedAtMs: row.started_at ?? 0 },
  }
}
