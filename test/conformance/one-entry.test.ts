import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Content, EntryTarget } from '#content'
import type { OneQuery } from '#content-query'
import type { Database } from '#db'
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
