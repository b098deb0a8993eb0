import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { ContentType } from '#content-model'
import type { ContentQuery } from '#content-query'
import { find } from './content-query/ask.ts'
import { openStore } from './content-query/open-store.ts'
import {
  buildIndexes,
  explainPostgres,
  fillPostgres,
  scansOf,
  watchAsks,
} from './content-query/planned.ts'

const ENTRIES = 100_000
const DEEP = 90_000

test('reads: PostgreSQL walks to a deep page along an index alone, and reads only the rows it shows', async () => {
  const { watched, lastStep } = watchAsks()
  const { database, content } = await openStore('postgres', watched)
  const type = content.model().findType('writer')
  if (!type) throw new Error('there are no writers')
  const [name, age] = ['name', 'age'].map((each) => type.attribute.get(each)?.no)
  const text = sql`'name ' || md5(n::text)`
  const values = { [`a${name}`]: text, [`f${name}`]: text, [`a${age}`]: sql`n * 7919 % 100` }
  await fillPostgres(database, type, { count: ENTRIES }, values)
  await buildIndexes(database, type)
  for (const query of deepPages(type)) {
    const { entries } = await find(content, { level: 'read' }, query)
    assert.equal(entries.length, 20)
    const plan = await explainPostgres(database, lastStep())
    const scans: readonly string[] = scansOf(plan, type.table).map((each) => each['Node Type'])
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
