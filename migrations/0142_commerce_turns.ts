import { type Kysely, sql } from 'kysely'
import type { AnyTables } from '#db'

/** What the worker of bulks asks so that users take turns (decision 96). */
export async function up(db: Kysely<AnyTables>): Promise<void> {
  // Whose bulks are not over yet.
  await db.schema
    .createIndex('commerce_bulks_turns')
    .on('commerce_bulks')
    .columns(['user_id', 'no'])
    .where(sql.ref('completed_at'), 'is', null)
    .execute()
  // Whether an earlier bulk still has something to do with a SKU.
  await db.schema
    .createIndex('commerce_operations_due_skus')
    .on('commerce_operations')
    .columns(['sku', 'bulk_no'])
    .where(sql.ref('is_due'), '=', sql.lit(1))
    .execute()
}
