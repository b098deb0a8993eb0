import { CompiledQuery, sql } from 'kysely'
import type { ContentType } from '#content-model'
import type { Ask, Database } from '#db'
import { buildIndex, findIndexes } from '../../../src/content/types/index-store.ts'

export interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Node[]
}

/** Notes what is asked of a database, to explain it afterwards. */
export function watchAsks() {
  let asked: Parameters<Ask> | undefined
  return { watched, lastStep }

  function watched(database: Database): Database {
    const ask: Ask = (...given) => {
      asked = given
      return database.main.ask(...given)
    }
    return { ...database, main: { ...database.main, ask } }
  }

  /** The first statement of what was asked last. */
  function lastStep() {
    const [batch, parameters] = asked ?? []
    return { text: batch?.steps[0]?.sql ?? '', given: [...(parameters?.[0] ?? [])] }
  }
}

export async function explainPostgres(
  { main }: Database,
  { text, given }: ReturnType<ReturnType<typeof watchAsks>['lastStep']>,
): Promise<Node | undefined> {
  const { rows } = await main.writer.executeQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    CompiledQuery.raw(`explain (format json) ${text}`, given),
  )
  return rows[0]?.['QUERY PLAN'][0].Plan
}

/** The scans of a table, those inside others first. */
export function scansOf(node: Node | undefined, table: string): readonly Node[] {
  if (!node) return []
  const inner = (node.Plans ?? []).flatMap((each) => scansOf(each, table))
  return node['Relation Name'] === table ? [...inner, node] : inner
}

/** Live copies without values, in turn of the locales. */
export async function fillPostgres(
  { main }: Database,
  { no, table, shape }: ContentType,
  { count, locales = [''] }: { readonly count: number; readonly locales?: readonly string[] },
  values: Readonly<Record<string, ReturnType<typeof sql>>> = {},
) {
  // The search index is no part of this, and taking in so many texts takes long.
  await sql`alter table ${sql.table(table)} disable trigger user`.execute(main.writer)
  const n = sql`generate_series(1, ${sql.lit(count)}) as n`
  const documentId = sql`lpad(n::text, 36, '0')`
  const list = sql.join(locales.map((code) => sql.lit(code)))
  const locale = sql`(array[${list}])[1 + n % ${sql.lit(locales.length)}]`
  await sql`insert into content_entries (no, type_no, id, document_id, locale, created_at, updated_at, has_live, changed, sort_order, is_root, ancestors_live, version) select n, ${sql.lit(no)}, n, ${documentId}, ${locale}, n, n, 1, 0, n, 0, 1, 1 from ${n}`.execute(
    main.writer,
  )
  const columns = Object.keys(values).map((name) => sql`, ${sql.ref(name)}`)
  const given = Object.values(values).map((value) => sql`, ${value}`)
  await sql`insert into ${sql.table(table)} (copy_no, entry_no, id, document_id, locale, live, work, revision_id, shape, created_at, updated_at, doc, hidden${sql.join(columns, sql``)}) select n, n, n, ${documentId}, ${locale}, 1, 1, n, ${sql.lit(shape)}, n, n, '{}', '{}'${sql.join(given, sql``)} from ${n}`.execute(
    main.writer,
  )
}

/** As the worker does, which is not there; afterwards the database knows what it has. */
export async function buildIndexes({ main, dialect }: Database, { table }: ContentType) {
  const db = main.writer.$pickTables<never>()
  for (const { spec } of await findIndexes(db, table)) await buildIndex(db, dialect, spec)
  for (const each of [table, 'content_entries']) {
    await sql`vacuum analyze ${sql.table(each)}`.execute(main.writer)
  }
}
