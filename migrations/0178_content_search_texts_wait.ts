import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Texts that entries are found by are made after the commit of a write: its triggers only note that the copy waits. */
export async function up(db: Kysely<AnyTables>, { textIndex }: SqlDialect): Promise<void> {
  await textIndex.letTextsWait(db, 'content_search', 'type_no')
  const { rows } = await sql<{ type_no: number; source: string }>`
    select type_no, source from content_search_types where source <> ''`.execute(db)
  const fact = (column: string) => ({ [column]: { column } })
  for (const { type_no, source } of rows) {
    const { title, text }: { title: string[]; text: string[] } = JSON.parse(source)
    await textIndex.follow(db, 'content_search', {
      ...{ table: `content_v${type_no}`, tableNo: Number(type_no), key: 'copy_no' },
      columns: [...new Set([...title, ...text])],
      facts: {
        type_no: { is: Number(type_no) },
        ...{ ...fact('id'), ...fact('live'), ...fact('work'), ...fact('locale') },
      },
    })
  }
  await db.schema.alterTable('content_search_types').dropColumn('lets_wait').execute()
}
