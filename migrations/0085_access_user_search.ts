import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

const BATCH = 500

/** Names without regard to case, so that both databases find users by the same parts of a name. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('access_users').addColumn('name_folded', types.text).execute()
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; name: string }>`
      select id, name from access_users where id > ${after} and name is not null
      order by id limit ${BATCH}`.execute(db)
    for (const { id, name } of rows) {
      const folded = name.normalize('NFC').toLowerCase()
      await sql`update access_users set name_folded = ${folded} where id = ${id}`.execute(db)
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last.id
  }
}
