import { type Kysely, sql } from 'kysely'
import type { SqlDialect } from '#db'
import type { Actor } from '#kernel'
import {
  type Criteria,
  type CriteriaColumn,
  type CriteriaColumns,
  orderOf,
  whereOf,
} from '../criteria.ts'
import { type Operation, toOperation } from './status.ts'
import { type BulksTables, TOPICS } from './tables.ts'

export interface OperationList {
  readonly operations: readonly Operation[]
  readonly total: number
}

const COLUMNS: CriteriaColumns = new Map<string, CriteriaColumn>([
  ['id', { column: 'o.id', kind: 'whole' }],
  ['bulk_uuid', { column: 'b.uuid', kind: 'text' }],
  ['status', { column: 'o.status', kind: 'whole' }],
  ['start_time', { column: 'b.started_at', kind: 'time' }],
  ['topic_name', { column: 'b.method', kind: 'text' }],
])

/** Operations over all bulks of the caller, those of the oldest bulk first. */
export async function findOperations(
  db: Kysely<BulksTables>,
  dialect: SqlDialect,
  actor: Actor,
  criteria: Criteria,
): Promise<OperationList> {
  const where = whereOf(withMethods(criteria), COLUMNS, dialect)
  const own = db
    .selectFrom('commerce_bulks as b')
    .innerJoin('commerce_operations as o', 'o.bulk_no', 'b.no')
    .where('b.user_id', '=', actor.userId)
    .where('b.accepted_at', 'is not', null)
    .where(where)
  const [rows, { total }] = await Promise.all([
    own
      .select([
        ...(['o.id', 'o.status', 'o.action', 'o.message', 'o.error_code'] as const),
        ...(['o.sku', 'o.product_id', 'b.uuid', 'b.method', 'b.started_at'] as const),
      ])
      .orderBy(orderOf(criteria, COLUMNS, ['o.bulk_no', 'o.id']))
      .limit(criteria.pageSize)
      .offset((criteria.currentPage - 1) * criteria.pageSize)
      .execute(),
    own.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow(),
  ])
  return { operations: rows.map(toOperation), total }
}

const METHODS = new Map<string, string>(
  Object.entries(TOPICS).map(([method, topic]) => [topic, method]),
)

/** Topics are names for methods. */
function withMethods(criteria: Criteria): Pick<Criteria, 'groups'> {
  const groups = criteria.groups.map((filters) =>
    filters.map((filter) =>
      filter.field === 'topic_name'
        ? { ...filter, values: filter.values.map((value) => METHODS.get(value) ?? value) }
        : filter,
    ),
  )
  return { groups }
}
