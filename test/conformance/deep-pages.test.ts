import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import type { ContentType } from '#content-model'
import type { ContentQuery } from '#content-query'
import type { Ask, Database } from '#db'
import { buildIndex, findIndexes } from '../../src/content/types/index-store.ts'
import { find } from './content-query/ask.ts'
import { openStore } from './content-query/open-store.ts'

const ENTRIES = 100_000
const DEEP = 90_000

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Node[]
}

test('reads: PostgreSQL walks to a deep page along an index alone, and reads only the rows it shows', async () => {
  let asked: Parameters<Ask> | undefined
  const { database, content } = await openStore('postgres', (own) => {
    const ask: Ask = (...given) => {
      asked = given
      return own.main.ask(...given)
    }
    return { ...own, main: { ...own.main, ask } }
  })
  const type = content.model().findType('writer')
  if (!type) throw new Error('there are no writers')
  await fill(database, type)
  await buildIndexes(database, type)
  for (const query of deepPages(type)) {
    const { entries } = await find(content, { level: 'read' }, query)
    assert.equal(entries.length, 20)
    const [batch, parameters] = asked ?? []
    const text = batch?.steps[0]?.sql ?? ''
    const given = [...(parameters?.[0] ?? [])]
    const explained = await database.main.writer.executeQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      CompiledQuery.raw(`explain (format json) ${text}`, given),
    )
    const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan
    const scans = scansOf(plan, type.table)
    const told = `${JSON.stringify(query.sort)}: ${JSON.stringify(plan)}`
    // The total, the walk, and the rows of the page by their keys.
    assert.deepEqual(scans, ['Index Only Scan', 'Index Only Scan', 'Index Scan'], told)
  }
})

function deepPages(type: ContentType): readonly ContentQuery[] {
  const page = { kind: 'offset', start: DEEP, limit: 20, count: true } as const
  const plain = { state: 'live', locale: { kind: 'default' }, filter: null, search: '' } as const
  return ['name', 'age'].flatMap((field) =>
    (['asc', 'desc'] as const).map((order) => ({
      ...{ ...plain, type, include: [], page },
      sort: [{ path: [field], order, at: ['sort'] }],
    })),
  )
}

/** The scans of a table, those inside others first. */
function scansOf(node: Node | undefined, table: string): string[] {
  if (!node) return []
  const inner = (node.Plans ?? []).flatMap((each) => scansOf(each, table))
  return node['Relation Name'] === table ? [...inner, node['Node Type']] : inner
}

async function fill({ main }: Database, { no, table, shape, attribute }: ContentType) {
  const name = attribute.get('name')?.no
  const age = attribute.get('age')?.no
  // The search index is no part of this, and taking in so many texts takes long.
  await sql`alter table ${sql.table(table)} disable trigger user`.execute(main.writer)
  const n = sql`generate_series(1, ${sql.lit(ENTRIES)}) as n`
  const documentId = sql`lpad(n::text, 36, '0')`
  await sql`insert into content_entries (no, type_no, id, document_id, locale, created_at, updated_at, has_live, changed, sort_order, is_root, ancestors_live, version) select n, ${sql.lit(no)}, n, ${documentId}, '', n, n, 1, 0, n, 0, 1, 1 from ${n}`.execute(
    main.writer,
  )
  const columns = sql.raw(`a${name}, f${name}, a${age}`)
  await sql`insert into ${sql.table(table)} (copy_no, entry_no, id, document_id, locale, live, work, revision_id, shape, created_at, updated_at, doc, hidden, ${columns}) select n, n, n, ${documentId}, '', 1, 1, n, ${sql.lit(shape)}, n, n, '{}', '{}', 'name ' || md5(n::text), 'name ' || md5(n::text), n * 7919 % 100 from ${n}`.execute(
    main.writer,
  )
}

/** As the worker does, which is not there; afterwards the database knows what it has. */
async function buildIndexes({ main, dialect }: Database, { table }: ContentType) {
  const db = main.writer.$pickTables<never>()
  for (const { spec } of await findIndexes(db, table)) await buildIndex(db, dialect, spec)
  for (const each of [table, 'content_entries']) {
    await sql`vacuum analyze ${sql.table(each)}`.execute(main.writer)
  }
}
