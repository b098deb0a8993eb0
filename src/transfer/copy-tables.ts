import type { Kysely } from 'kysely'
import type { Database } from '#db'
import {
  keyOf,
  type Loader,
  parseRow,
  type Row,
  renderRow,
  type Snapshot,
  type TableInfo,
} from '#db-transfer'

interface Deps {
  readonly snapshot: Snapshot
  readonly tables: readonly TableInfo[]
  readonly loader: Loader
  readonly database: Database
  progress(text: string): void
}

interface Tables {
  kernel_move_tables: {
    name: string
    last_key: string | null
    row_count: number
    done: number
  }
}

/**
 * Page by page along the key of each table, and remembers how far it is. A page may be there without being
 * remembered, when it was broken off between both: whatever is behind the remembered key goes first.
 */
export async function copyTables({ snapshot, tables, loader, database, progress }: Deps) {
  const db: Kysely<Tables> = database.main.writer
  for (const [at, table] of tables.entries()) {
    const before = await find(table.name)
    if (before?.done) continue
    await copy(table, before ?? { lastKey: null, rows: 0 }, `${at + 1}/${tables.length}`)
  }

  async function copy(
    table: TableInfo,
    { lastKey, rows: known }: { lastKey: Row | null; rows: number },
    which: string,
  ) {
    let rows = known
    let key = lastKey
    await loader.emptyBehind(table, key)
    for await (const page of snapshot.pages(table, key)) {
      await loader.homeOf(table).transaction(undefined, (tx) => loader.insert(tx.as(), table, page))
      rows += page.length
      key = keyOf(table, page.at(-1) ?? [])
      await save(table.name, key, rows, 0)
      progress(`table ${which} ${table.name}: ${rows} rows`)
    }
    await save(table.name, key, rows, 1)
  }

  async function find(name: string) {
    const row = await db
      .selectFrom('kernel_move_tables')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    if (!row) return undefined
    const lastKey = row.last_key === null ? null : parseRow(JSON.parse(row.last_key))
    return { lastKey, rows: Number(row.row_count), done: row.done === 1 }
  }

  async function save(name: string, key: Row | null, row_count: number, done: number) {
    const values = { last_key: key && renderRow(key), row_count, done }
    await db
      .insertInto('kernel_move_tables')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute()
  }
}
