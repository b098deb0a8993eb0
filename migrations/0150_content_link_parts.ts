import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'
import { fold } from '#kernel'

const ROWS_PER_BATCH = 500

/** Links are found by their members, without regard to case: each gets its folded form beside it. */
export async function up(db: Kysely<AnyTables>, dialect: SqlDialect): Promise<void> {
  await dialect.defineJsonMember.execute(db)
  for (const { table, key, no } of await linksIn(db)) {
    await db.schema.alterTable(table).addColumn(`f${no}`, dialect.types.text).execute()
    await fill(db, table, key, no)
  }
}

interface Place {
  readonly table: string
  readonly key: string
  readonly no: number
}

async function linksIn(db: Kysely<AnyTables>): Promise<Place[]> {
  const rows = await sql<{ what: string; no: number; definition: string }>`
    select 'v' as what, no, definition from content_types
      where changing is null or changing <> 'making'
    union all select 'c', no, definition from content_components`.execute(db)
  return rows.rows.flatMap(({ what, no, definition }) =>
    linkNumbers(JSON.parse(definition)).map((attribute) => ({
      table: `content_${what}${no}`,
      key: what === 'v' ? 'copy_no' : 'part_no',
      no: attribute,
    })),
  )
}

function linkNumbers(definition: {
  attributes: Record<string, { type: string; no: number }>
}): number[] {
  return Object.values(definition.attributes)
    .filter(({ type }) => type === 'link')
    .map(({ no }) => no)
}

async function fill(db: Kysely<AnyTables>, table: string, key: string, no: number): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ key: number; value: string }>`
      select ${sql.ref(key)} as key, ${sql.ref(`a${no}`)} as value from ${sql.table(table)}
      where ${sql.ref(key)} > ${last} and ${sql.ref(`a${no}`)} is not null
      order by ${sql.ref(key)} limit ${ROWS_PER_BATCH}`.execute(db)
    const end = rows.at(-1)
    if (!end) return
    for (const row of rows) {
      await sql`update ${sql.table(table)} set ${sql.ref(`f${no}`)} = ${fold(row.value)}
        where ${sql.ref(key)} = ${row.key}`.execute(db)
    }
    last = end.key
  }
}
