import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { createClock } from '#kernel'
import { createEventReader, type Event } from '../../../src/kernel/events/reader.ts'
import type { Client } from './client.ts'
import type { DomainTables, ProofTables } from './tables.ts'
import { MONTH_LIMIT } from './usage.ts'

/** Every answer has one record; what else was recorded was under way at a kill. */
export async function recordsRight({ aux }: Database, client: Client): Promise<string> {
  const { answered, unanswered } = client
  const recorded = Map.groupBy(await allRecords(aux.reader), (record) => record.request)
  for (const [id, { status }] of answered) {
    const own = recorded.get(id) ?? []
    assert.equal(own.length, 1, `${id} has ${own.length} records`)
    assert.equal(own[0]?.status, status)
  }
  const surplus = [...recorded.keys()].filter((id) => !answered.has(id))
  for (const id of surplus) {
    assert.ok(unanswered.has(id), `${id} was not under way at a kill`)
    assert.equal(recorded.get(id)?.length, 1, `${id} has more than one record`)
  }
  return `${answered.size} answers with one record each; ${surplus.length} surplus records of ${unanswered.size} requests in flight at the kills`
}

/** Records and roll-ups say the same, and a month that ended let nothing through beyond it. */
export async function sumsRight({ aux }: Database): Promise<string> {
  const reader: Kysely<ProofTables> = aux.reader
  const records = await allRecords(reader)
  const rollUps = await reader.selectFrom('proof_rollups').selectAll().execute()
  for (const unit of ['minute', 'month']) {
    const rows = rollUps.filter((row) => row.unit === unit)
    assert.equal(sum(rows, 'count'), records.length)
    assert.equal(sum(rows, 'cost'), sum(records, 'cost'))
  }
  for (const [key, limit] of Object.entries(MONTH_LIMIT)) {
    const used = sum(
      records.filter((record) => record.key === key),
      'cost',
    )
    assert.ok(used <= limit, `${key} used ${used} of ${limit}`)
    assert.ok(used > limit - 3, `${key} used only ${used} of ${limit}`)
  }
  return `cost ${sum(records, 'cost')} in records, roll-ups and counters`
}

/** Each domain row has its event and each event its row; numbers have neither gap nor double. */
export async function eventsRight(db: Database, client: Client): Promise<string> {
  const reader: Kysely<DomainTables> = db.main.reader
  const rows = await reader.selectFrom('proof_domain').selectAll().execute()
  const events = await readAllEvents(db)
  const told = events.map((event) => String(event.payload['id']))
  assert.deepEqual(told.sort(), rows.map((row) => row.id).sort())
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + 1),
  )
  const written = new Set(rows.map((row) => row.id))
  for (const [id, { isWrite, status }] of client.answered) {
    assert.equal(written.has(id), isWrite && status === 200, id)
  }
  return `${rows.length} domain rows with one event each, numbered without gap`
}

async function readAllEvents(db: Database): Promise<Event[]> {
  const reader = createEventReader({ db, clock: createClock() })
  const all: Event[] = []
  for (let after = 0; ; ) {
    const { events, through, last } = await reader.readEvents({ after, limit: 500 })
    all.push(...events)
    if (through >= last) return all
    after = through
  }
}

function allRecords(reader: Kysely<ProofTables>) {
  return reader.selectFrom('proof_records').selectAll().execute()
}

function sum<Member extends string>(rows: readonly Record<Member, number>[], member: Member) {
  return rows.reduce((total, row) => total + row[member], 0)
}
