import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '#db'
import { createSequencer } from '#events'
import { type DatabaseKind, openTestDatabase, until } from '#test-kit'
import { startChild } from '../children/run.ts'
import { attachContent } from '../support/content.ts'
import { BATCH, COUNTER } from './pages.ts'
import type { Told } from './victim.ts'

const VICTIM = new URL('./victim.ts', import.meta.url)
const WRITERS = 8

/** Kills a process that writes without pause, so many times, each at another moment. */
export function testKilled(kind: DatabaseKind, kills: number) {
  test('scale writes: a process killed at any moment loses nothing that it acknowledged and doubles nothing', async (t) => {
    const { settings, stop } = await prepared(kind)
    await stop()
    const told: Told[] = []
    for (let kill = 0; kill < kills; kill++) {
      const child = startChild(VICTIM, { settings, writers: WRITERS })
      await until(() => child.lines.length > 20)
      await delay(randomInt(120))
      await child.kill()
      told.push(...child.lines.slice(1).flatMap(parse))
    }
    const { database } = await openTestDatabase(kind, settings)
    t.diagnostic(`${told.length} writes acknowledged before ${kills} kills`)
    assert.ok(told.length > kills * 15, `${told.length}`)
    await check(database, told)
  })
}

async function prepared(kind: DatabaseKind) {
  const opened = await openTestDatabase(kind)
  await attachContent(opened, BATCH)
  for (const text of COUNTER) await sql.raw(text).execute(opened.database.main.writer)
  return opened
}

/** Entries, their events, and what the counter says. */
export async function counts({ main }: Pick<Database, 'main'>): Promise<number[]> {
  const { rows } = await sql<{ entries: number; events: number; counted: number }>`
    select (select count(*) from content_entries) as entries,
      (select count(*) from kernel_events where type = 'page.created') as events,
      (select value from unit_counter) as counted`.execute(main.writer)
  return rows.flatMap(({ entries, events, counted }) => [entries, events, counted].map(Number))
}

/** A line that the kill cut in two says nothing. */
function parse(line: string): Told[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

async function check(database: Database, told: readonly Told[]) {
  const silent = { publish: async () => {}, subscribe: () => () => {} }
  const sequencer = createSequencer({ db: database, bus: silent })
  while (await sequencer.turn());
  const [entries = 0, created, counted] = await counts(database)
  assert.deepEqual([created, counted], [entries, entries], 'one event and one count for each entry')
  const versions = await database.main.reader
    .selectFrom('content_entries')
    .select(['document_id', 'version', 'path'])
    .execute()
  const byDocument = new Map(versions.map((row) => [row['document_id'], Number(row['version'])]))
  assert.equal(new Set(versions.map((row) => row['path'])).size, entries, 'every name once')
  for (const { documentId, version } of told) {
    assert.ok((byDocument.get(documentId) ?? 0) >= version, `${documentId} ${version} is lost`)
  }
  const events = await database.main.reader
    .selectFrom('kernel_events')
    .select(['seq', 'type', 'payload'])
    .where('type', 'like', 'page.%')
    .orderBy('seq')
    .execute()
  assert.deepEqual(
    events.map(({ seq }) => Number(seq)),
    events.map((_, at) => at + Number(events[0]?.['seq'])),
  )
  const seen = new Map<string, number>()
  for (const { type, payload } of events) {
    const { document_id, version = 1 } = JSON.parse(String(payload))
    assert.equal(version, (seen.get(document_id) ?? 0) + 1, `${type} of ${document_id}`)
    seen.set(document_id, version)
  }
  assert.deepEqual(seen, byDocument)
}
