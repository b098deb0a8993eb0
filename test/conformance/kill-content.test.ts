import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eachDatabase, openTestDatabase, pagesModel, until } from '#test-kit'
import type { Told } from './children/entries.ts'
import { startChild } from './children/run.ts'
import { attachContent, openContent, type TestContent, WRITER } from './support/content.ts'

const ENTRIES = new URL('./children/entries.ts', import.meta.url)
const KILLS = 6
const WRITERS = 3

eachDatabase('a process killed while it writes entries', (kind) => {
  test('leaves each write whole or not at all, with its events', async () => {
    const prepared = await openContent(kind, pagesModel.TYPES)
    const { settings, stop } = prepared.opened
    for (const name of ['a', 'b', 'c']) {
      await prepared.entries.create(WRITER, prepared.typeOf('topic'), { values: { name } })
    }
    await stop()
    const told: Told[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const child = startChild(ENTRIES, { settings, writers: WRITERS })
      await until(() => child.lines.length > 12)
      await delay(randomInt(200))
      await child.kill()
      told.push(...child.lines.slice(1).flatMap(parse))
    }
    const content = await attachContent(await openTestDatabase(kind, settings))
    assert.ok(told.length > KILLS * 10, `${told.length}`)
    await copiesAreWhole(content)
    await pathsFollow(content)
    await eventsMatch(content, told)
  })
})

/** A line that the kill cut in two says nothing. */
function parse(line: string): Told[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** Flags and copies agree, and everything that belongs to a copy says the same number. */
async function copiesAreWhole(content: TestContent) {
  const copies = await content.rows('page')
  const entries = await pages(content)
  const flags = Map.groupBy(copies, (row) => row.id)
  for (const { id, has_live, changed } of entries) {
    const own = (flags.get(id) ?? []).map((row) => `${row.live}${row.work}`)
    const expected = has_live === 0 ? ['01'] : changed === 1 ? ['10', '01'] : ['11']
    assert.deepEqual(own, expected, `page ${id}`)
  }
  assert.equal(flags.size, entries.length)
  const counts = new Map(copies.map((row) => [row.copy_no, JSON.parse(String(row.doc)).count]))
  const table = content.model().findComponent('default.block')?.table ?? ''
  for (const besides of ['content_links', 'content_tags', table]) {
    const rows = await content.db.main.reader.selectFrom(besides).select('owner_copy').execute()
    const own = Map.groupBy(rows, (row) => row['owner_copy'])
    const factor = besides === 'content_tags' ? 2 : 1
    assert.deepEqual([...own.keys()].toSorted(), [...counts.keys()].toSorted(), besides)
    for (const [copyNo, list] of own)
      assert.equal(list.length, counts.get(copyNo) * factor, besides)
  }
}

async function pathsFollow(content: TestContent) {
  const entries = await pages(content)
  const byDocument = new Map(entries.map((entry) => [entry.document_id, entry]))
  for (const { parent, path } of entries) {
    const above = parent === null ? '/pages' : byDocument.get(parent)?.path
    assert.equal(path?.slice(0, path.lastIndexOf('/')), above)
  }
}

/** Every version that was made has told of itself, and nothing else has. */
async function eventsMatch(content: TestContent, told: readonly Told[]) {
  const events = (await content.events()).filter(({ payload }) => payload.content_type === 'page')
  const versions = new Map<string, Set<number>>()
  const removed = new Set<string>()
  for (const { type, payload } of events) {
    const own = versions.get(payload.document_id) ?? new Set()
    versions.set(payload.document_id, own.add(payload.version))
    if (type === 'page.deleted') removed.add(payload.document_id)
  }
  const entries = new Map((await pages(content)).map((entry) => [entry.document_id, entry]))
  assert.deepEqual(
    [...versions.keys()].filter((documentId) => !removed.has(documentId)).toSorted(),
    [...entries.keys()].toSorted(),
  )
  for (const { documentId, version } of told) {
    if (version === 0) assert.ok(removed.has(documentId))
    else assert.ok(versions.get(documentId)?.has(version), `${documentId} ${version}`)
  }
}

function pages({ reader, typeOf }: TestContent) {
  return reader
    .selectFrom('content_entries')
    .selectAll()
    .where('type_no', '=', typeOf('page').no)
    .execute()
}
