import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Usage grows with every request, so it has its own file beside what must survive at all costs. */
export const store = 'aux'

export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await createRecords(db, types)
  await createSums(db, types)
  await createEndpointSums(db, types)
  await createThresholds(db, types)
}

async function createRecords(db: Kysely<AnyTables>, types: SqlDialect['types']) {
  await db.schema
    .createTable('access_usage_records')
    .addColumn('id', types.serial)
    .addColumn('record_id', types.text, (column) => column.notNull().unique())
    .addColumn('api_key_id', types.bigint, (column) => column.notNull())
    .addColumn('endpoint', types.text, (column) => column.notNull())
    .addColumn('method', types.text, (column) => column.notNull())
    .addColumn('status_code', 'integer', (column) => column.notNull())
    .addColumn('response_ms', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('counted', 'integer', (column) => column.notNull())
    .addColumn('cost', types.bigint, (column) => column.notNull())
    .addColumn('request_id', types.text, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_usage_records_newest')
    .on('access_usage_records')
    .columns(['api_key_id', 'created_at', 'id'])
    .execute()
  // Failures are few and looked for often; an index over all statuses would mostly hold 200.
  await db.schema
    .createIndex('access_usage_records_failed')
    .on('access_usage_records')
    .columns(['api_key_id', 'status_code', 'created_at', 'id'])
    .where(sql.ref('status_code'), '>=', 300)
    .execute()
  await db.schema
    .createIndex('access_usage_records_age')
    .on('access_usage_records')
    .columns(['created_at', 'id'])
    .execute()
}

/** What a key used in each minute, hour, day and month: one statement adds to all of them. */
async function createSums(db: Kysely<AnyTables>, types: SqlDialect['types']) {
  const table = db.schema
    .createTable('access_usage_sums')
    .addColumn('api_key_id', types.bigint, (column) => column.notNull())
    .addColumn('period', types.text, (column) => column.notNull())
    .addColumn('at', types.bigint, (column) => column.notNull())
  await addTotals(table, types)
    .addPrimaryKeyConstraint('access_usage_sums_key', ['api_key_id', 'period', 'at'])
    .execute()
  // What is deleted by age is found by age.
  await db.schema
    .createIndex('access_usage_sums_age')
    .on('access_usage_sums')
    .columns(['period', 'at', 'api_key_id'])
    .execute()
}

/** The same by endpoint, for hours and days, with the distribution of response times. */
async function createEndpointSums(db: Kysely<AnyTables>, types: SqlDialect['types']) {
  const key = ['api_key_id', 'period', 'at', 'endpoint', 'method'] as const
  const table = db.schema
    .createTable('access_usage_endpoint_sums')
    .addColumn('api_key_id', types.bigint, (column) => column.notNull())
    .addColumn('period', types.text, (column) => column.notNull())
    .addColumn('at', types.bigint, (column) => column.notNull())
    .addColumn('endpoint', types.text, (column) => column.notNull())
    .addColumn('method', types.text, (column) => column.notNull())
  await addTotals(table, types)
    .addColumn('histogram', types.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('access_usage_endpoint_sums_key', [...key])
    .execute()
  await db.schema
    .createIndex('access_usage_endpoint_sums_age')
    .on('access_usage_endpoint_sums')
    .columns(['period', 'at', 'api_key_id'])
    .execute()
}

async function createThresholds(db: Kysely<AnyTables>, types: SqlDialect['types']) {
  await db.schema
    .createTable('access_usage_thresholds')
    .addColumn('id', types.serial)
    .addColumn('api_key_id', types.bigint, (column) => column.notNull())
    .addColumn('month_at', types.bigint, (column) => column.notNull())
    .addColumn('percent', 'integer', (column) => column.notNull())
    .addColumn('used', types.bigint, (column) => column.notNull())
    .addColumn('month_limit', types.bigint, (column) => column.notNull())
    .addColumn('crossed_at', types.bigint, (column) => column.notNull())
    .addColumn('announced', 'integer', (column) => column.notNull())
    .addUniqueConstraint('access_usage_thresholds_once', ['api_key_id', 'month_at', 'percent'])
    .execute()
  await db.schema
    .createIndex('access_usage_thresholds_age')
    .on('access_usage_thresholds')
    .column('crossed_at')
    .execute()
  await db.schema
    .createIndex('access_usage_thresholds_waiting')
    .on('access_usage_thresholds')
    .column('id')
    .where(sql.ref('announced'), '=', 0)
    .execute()
}

function addTotals<T extends string, C extends string>(
  table: CreateTableBuilder<T, C>,
  { bigint }: SqlDialect['types'],
) {
  return table
    .addColumn('requests', bigint, (column) => column.notNull())
    .addColumn('errors', bigint, (column) => column.notNull())
    .addColumn('rejected', bigint, (column) => column.notNull())
    .addColumn('cost', bigint, (column) => column.notNull())
    .addColumn('response_ms', bigint, (column) => column.notNull())
}
