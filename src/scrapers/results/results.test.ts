import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '#test-kit'
import { itemSteps, type NewItem } from '../store/items.ts'
import { renderCsv } from './formats.ts'
import { createResults } from './results.ts'

const ITEM: Omit<NewItem, 'data'> = {
  ...{ runId: 1, scraperId: 1, url: 'http://site.test/', statusCode: 200, contentType: null },
  ...{ depth: 0, fetchedAtMs: 0, change: 'new', contentHash: '', entry: null },
  ...{ pageHash: '', keyHash: '' },
}
const FILTER = { scraperId: 1, runId: 1, change: undefined, urlPrefix: undefined }

test('scrapers 18: CSV of a live run has a column for each value, whatever comes while it is read', async () => {
  const { database: db } = await openTestDatabase('sqlite')
  const none = () => Promise.reject(new Error('nobody asks for runs'))
  const results = createResults({ db, runs: { latest: none, get: none } })
  await add('{"first":1}')
  for (const order of ['asc', 'desc'] as const) {
    const items = await results.all(FILTER, { afterId: null, order })
    const lines: string[] = []
    for await (const line of renderCsv(items, null, true)) {
      // The columns are known by now.
      if (lines.length === 0) await add('{"second":2}')
      lines.push(line)
    }
    const widths = new Set(lines.map((line) => line.split(',').length))
    assert.deepEqual([widths.size, lines.length], [1, order === 'asc' ? 2 : 3])
    assert.ok(!lines.slice(1).some((line) => /,new,+\r\n$/.test(line)), lines.join(''))
  }

  async function add(data: string) {
    await db.main.carryOut(itemSteps(db.main.writer, [{ ...ITEM, data }]))
  }
})
