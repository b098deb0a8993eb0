import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Content, EntryTarget } from '#content'
import type { OneQuery } from '#content-query'
import type { Database } from '#db'
import { findByKey } from '../../src/content/entries/keys.ts'
import { prepare } from '../../src/content/entries/prepare.ts'
import type { ContentTables } from '../../src/content/tables.ts'
import { DEFAULT_LOCALE, LOCALES } from './content-query/definitions.ts'
import { openStore } from './content-query/open-store.ts'
import {
  buildIndexes,
  explainPostgres,
  fillPostgres,
  scansOf,
  watchAsks,
} from './content-query/planned.ts'

const ENTRIES = 6_000
const DOCUMENT = '7'.padStart(36, '0')
const TARGETS: readonly EntryTarget[] = [
  { id: 5_000 },
  { documentId: DOCUMENT, locale: null },
  { documentId: DOCUMENT, locale: DEFAULT_LOCALE },
]
const STATES = ['live', 'working'] as const
/** Without languages, with them, and with drafts as well. */
const TYPES = ['writer', 'topic', 'story']

type Ask = (ask: () => Promise<unknown>, told: string) => Promise<void>

async function askForOne(content: Content, name: string, check: Ask) {
  const type = content.model().findType(name)
  if (!type) throw new Error(`there is no type ${name}`)
  for (const state of STATES) {
    const query: OneQuery = { type, state, locale: { kind: 'all' }, filter: null, include: [] }
    for (const target of TARGETS) {
      const told = `${name} ${state} ${JSON.stringify(target)}`
      await check(() => content.findOne({ level: 'admin' }, query, target), told)
    }
  }
}

test('reads: SQLite finds one entry by an index, in types with languages too', async () => {
  const { watched, lastStep } = watchAsks()
  const { database, content } = await openStore('sqlite', watched)
  for (const name of TYPES) {
    await askForOne(content, name, async (ask, told) => {
      await ask()
      const plan = await explainSqlite(database, lastStep())
      // `p` is the page of one key that the rows are joined to.
      const walked = plan.filter((detail) => /^SCAN (?!p$)/.test(detail))
      assert.deepEqual([walked, plan.length > 2], [[], true], `${told}: ${plan.join('; ')}`)
    })
  }
})

test('scale writes: SQLite finds the entries of an upsert by the index of their key, in types with languages too', async () => {
  const { database, content } = await openStore('sqlite')
  const model = content.model()
  const type = model.findType('story')
  if (!type) throw new Error('there are no stories')
  const asked: CompiledQuery[] = []
  const reader = new Kysely<ContentTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void asked.push(query),
  })
  const inputs = await Promise.all(
    LOCALES.map((locale) => {
      const input = { values: { slug: 'a' }, locale }
      return prepare(type, input, model, { hash: async (password) => password })
    }),
  )
  const { dialect } = database
  await reader
    .transaction()
    .execute((trx) => findByKey({ trx, type, model, dialect }, 'slug', inputs))
  const { sql: text, parameters: given } =
    asked.find(({ sql: each }) => each.includes(type.table)) ?? fail()
  const plan = await explainSqlite(database, { text, given })
  assert.match(
    plan[0] ?? '',
    new RegExp(`^SEARCH ${type.table} .* \\(locale=\\? AND a\\d+=\\?\\)$`),
  )
})

function fail(): never {
  throw new Error('nothing was asked')
}

async function explainSqlite(
  { main }: Database,
  { text, given }: { readonly text: string; readonly given: readonly unknown[] },
): Promise<readonly string[]> {
  const { rows } = await main.writer.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${text}`, [...given]),
  )
  return rows.map(({ detail }) => detail)
}

for (const name of TYPES) {
  test(`reads: PostgreSQL finds one ${name} by an index that leads to it alone`, async () => {
    const { watched, lastStep } = watchAsks()
    const { database, content } = await openStore('postgres', watched)
    const type = content.model().findType(name)
    if (!type) throw new Error(`there is no type ${name}`)
    const locales = type.localized ? LOCALES : ['']
    await fillPostgres(database, type, { count: ENTRIES, locales })
    await buildIndexes(database, type)
    await askForOne(content, name, async (ask, told) => {
      await ask()
      const plan = await explainPostgres(database, lastStep())
      const scans = scansOf(plan, type.table)
      const walked = scans.filter(
        (node) =>
          !/^(Index|Bitmap)/.test(node['Node Type']) || /_locale_/.test(node['Index Name'] ?? ''),
      )
      assert.deepEqual([walked, scans.length > 0], [[], true], `${told}: ${JSON.stringify(plan)}`)
    })
  })
}
