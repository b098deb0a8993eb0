import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Ids, Tx } from '#kernel'
import type { DomainTables } from './tables.ts'

interface EventTables {
  kernel_events: {
    id: string
    seq: number | null
    type: string
    payload: string
    owner: string | null
    live: number
    occurred_at: number
    created_at: number
  }
  kernel_event_position: { name: string; seq: number }
}

/** A domain change and the event that reports it, in one transaction. */
export async function writeDomain(tx: Tx, ids: Ids, id: string, nowMs: number): Promise<void> {
  const eventId = ids.uuid()
  await tx.as<DomainTables>().insertInto('proof_domain').values({ id, event_id: eventId }).execute()
  await tx
    .as<EventTables>()
    .insertInto('kernel_events')
    .values({
      id: eventId,
      seq: null,
      type: 'proof.written',
      payload: JSON.stringify({ id }),
      owner: null,
      live: 1,
      occurred_at: nowMs,
      created_at: nowMs,
    })
    .execute()
}

const SEQUENCE_EVERY_MS = 20

/** Gives committed events their numbers until it is stopped; then nothing is left without one. */
export function startSequencer(database: Database) {
  let stopping = false
  const loop = run()
  return { stop }

  async function run() {
    while ((await sequence(database)) || !stopping) await delay(stopping ? 0 : SEQUENCE_EVERY_MS)
  }

  async function stop() {
    stopping = true
    await loop
  }
}

/** The row of the last number is the lock that lets only one transaction give numbers. */
async function sequence({ main, dialect }: Database): Promise<boolean> {
  return main.transaction(undefined, async (tx) => {
    const trx = tx.as<EventTables>()
    const last = await trx
      .selectFrom('kernel_event_position')
      .select('seq')
      .where('name', '=', 'last')
      .$if(dialect.rowLocks, (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
    const waiting = await trx
      .selectFrom('kernel_events')
      .select('id')
      .where('seq', 'is', null)
      .orderBy('id')
      .limit(200)
      .execute()
    if (waiting.length === 0) return false
    let { seq } = last
    for (const { id } of waiting) {
      await trx.updateTable('kernel_events').set({ seq: ++seq }).where('id', '=', id).execute()
    }
    await trx.updateTable('kernel_event_position').set({ seq }).where('name', '=', 'last').execute()
    return true
  })
}
