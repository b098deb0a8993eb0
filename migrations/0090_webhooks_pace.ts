import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** How quickly endpoints answer, and in which order and how often they want to be sent to. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  const add = db.schema.alterTable('webhooks_lanes')
  // Quick answers in a row that the endpoint owes before it counts as quick.
  await add.addColumn('probation', 'integer', (column) => column.notNull().defaultTo(1)).execute()
  await add.addColumn('is_ordered', 'integer', (column) => column.notNull().defaultTo(0)).execute()
  await add.addColumn('max_per_second', types.double).execute()
  await add.addColumn('next_send_at', types.bigint).execute()
  await add.addColumn('auto_resume', 'integer', (column) => column.notNull().defaultTo(0)).execute()
  await add.addColumn('resume_at', types.bigint).execute()
  await add
    .addColumn('resume_tries', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()

  // Lanes are claimed by speed, so that many slow ones are not walked over for a quick one; lanes
  // of a consumer who has enough under way are passed over without being read.
  await db.schema.dropIndex('webhooks_lanes_due_at').execute()
  await index('webhooks_lanes_quick', ['due_at', 'consumer_id'], sql`probation = 0`)
  await index('webhooks_lanes_slow', ['due_at', 'consumer_id'], sql`probation > 0`)
  await db.schema
    .createIndex('webhooks_lanes_resume_at')
    .on('webhooks_lanes')
    .column('resume_at')
    .where(sql.ref('resume_at'), 'is not', null)
    .execute()

  async function index(name: string, columns: string[], speed: ReturnType<typeof sql<boolean>>) {
    await db.schema
      .createIndex(name)
      .on('webhooks_lanes')
      .columns(columns)
      .where(sql<boolean>`due_at is not null and ${speed}`)
      .execute()
  }
}
