import type { Kysely } from 'kysely'
import type { Store, Tx } from '../db/database.ts'
import { carryOutIn } from '../db/store.ts'
import type { Log } from '../log.ts'
import { createLedger, type Ledger, type RevisionHandler } from './ledger.ts'
import { type Bus, type BusMessage, PROCESS_TOPIC } from './port.ts'

interface Deps {
  readonly bus: Bus
  readonly log: Log
  /** Given in the main thread only: there the repair runs for all threads of the process. */
  readonly pollFrom?: Store | undefined
  readonly everyMs?: number
}

export interface Revisions {
  /**
   * Counts the topic up in the caller's transaction and tells everybody after the commit. Revisions
   * are in the order of commits, because the row stays locked until then: who has seen one sees all
   * that was written before it. Who bumps several topics does it in alphabetical order, or two
   * transactions could wait for each other.
   */
  bump(tx: Tx, topic: string): Promise<number>
  /** The same for plans, which cannot wait for the number: it is the one after `from`, or nothing happens. */
  bumpFrom(tx: Tx, topic: string, from: number): Promise<boolean>
  /**
   * Calls the handler whenever a revision newer than the last one it finished becomes known, by
   * notice or by repair: one call at a time, never twice for the same, never backwards, and only
   * for the newest when several come while it is busy. A failed call is repeated. `since` is what
   * the caller has read already. Returns the function that ends the watch.
   */
  watch(topic: string, handler: RevisionHandler, since?: number): () => void
  /** The newest revision this thread has heard of; 0 when none. */
  current(topic: string): number
  /** The newest revision that all who watch it in this thread are done with. */
  finished(topic: string): number
  close(): void
}

interface Tables {
  kernel_revisions: { topic: string; revision: number }
}

const REPAIR_EVERY_MS = 500
/** So many topics fit into one notice whatever their names are. */
const TOPICS_PER_NOTICE = 20

const CHANGED = 'revisions'
const REPAIRED = `${PROCESS_TOPIC}revisions`
const ASKED = `${PROCESS_TOPIC}revisions.asked`

/** The newest one that is committed; 0 when there is none. */
export async function storedRevision({ reader }: Store, topic: string): Promise<number> {
  const revisions: Kysely<Tables> = reader
  const row = await revisions
    .selectFrom('kernel_revisions')
    .select('revision')
    .where('topic', '=', topic)
    .executeTakeFirst()
  return Number(row?.revision ?? 0)
}

/** Finds changes although notices get lost (DESIGN: repaired by comparing revisions). */
export function createRevisions(deps: Deps): Revisions {
  const { bus, log, pollFrom, everyMs = REPAIR_EVERY_MS } = deps
  const ledger = createLedger({ log, retryMs: everyMs })
  const ends = [bus.subscribe(CHANGED, learn), bus.subscribe(REPAIRED, learn)]
  if (pollFrom) {
    ends.push(bus.subscribe(ASKED, () => handOn(ledger.all())))
    ends.push(startRepair({ store: pollFrom, ledger, handOn, log, everyMs }))
  } else {
    // A thread that starts later has missed what the main thread knows.
    void bus.publish(ASKED, null)
  }
  const { watch, current, finished } = ledger
  return { bump, bumpFrom, watch, current, finished, close }

  async function bump(tx: Tx, topic: string) {
    const { revision } = await tx
      .as<Tables>()
      .insertInto('kernel_revisions')
      .values({ topic, revision: 1 })
      .onConflict((conflict) =>
        conflict
          .column('topic')
          .doUpdateSet((row) => ({ revision: row('kernel_revisions.revision', '+', 1) })),
      )
      .returning('revision')
      .executeTakeFirstOrThrow()
    tx.afterCommit(() => bus.publish(CHANGED, [[topic, revision]]))
    return revision
  }

  function bumpFrom(tx: Tx, topic: string, from: number): Promise<boolean> {
    const revision = from + 1
    const query = tx
      .as<Tables>()
      .insertInto('kernel_revisions')
      .values({ topic, revision })
      .onConflict((conflict) =>
        conflict
          .column('topic')
          .doUpdateSet({ revision })
          .where('kernel_revisions.revision', '=', from),
      )
    const afterCommit = () => bus.publish(CHANGED, [[topic, revision]])
    return carryOutIn(tx, [{ query, mustChange: true, afterCommit }])
  }

  function learn(message: BusMessage) {
    for (const [topic, revision] of parsePairs(message)) ledger.learn(topic, revision)
  }

  function handOn(pairs: readonly Pair[]) {
    for (let at = 0; at < pairs.length; at += TOPICS_PER_NOTICE) {
      void bus.publish(REPAIRED, pairs.slice(at, at + TOPICS_PER_NOTICE))
    }
  }

  function close() {
    for (const end of ends) end()
    ledger.close()
  }
}

type Pair = [topic: string, revision: number]

interface RepairDeps {
  readonly store: Store
  readonly ledger: Ledger
  handOn(pairs: readonly Pair[]): void
  readonly log: Log
  readonly everyMs: number
}

/** One small query per process and interval, whatever is watched and by how many threads; none while nobody commits. */
function startRepair({ store, ledger, handOn, log, everyMs }: RepairDeps): () => void {
  let timer: NodeJS.Timeout | undefined
  let failing = false
  let stopped = false
  let seen: bigint | undefined
  // Built once: it is asked again and again.
  const all = store.reader
    .$pickTables<keyof Tables>()
    .selectFrom('kernel_revisions')
    .select(['topic', 'revision'])
    .compile()
  void tick()
  return () => {
    stopped = true
    clearTimeout(timer)
  }

  async function tick() {
    try {
      const mark = store.mark()
      if (mark === undefined || mark !== seen) await compare()
      seen = mark
      failing = false
    } catch (error) {
      if (!failing && !stopped) log.warn({ err: error }, 'revisions cannot be compared')
      failing = true
    }
    if (!stopped) timer = setTimeout(tick, everyMs).unref()
  }

  async function compare() {
    const { rows } = await store.reader.executeQuery(all)
    if (!stopped) handOn(news(rows))
  }

  function news(rows: readonly Tables['kernel_revisions'][]): Pair[] {
    return rows
      .filter(({ topic, revision }) => revision > ledger.current(topic))
      .map(({ topic, revision }) => [topic, revision])
  }
}

function parsePairs(message: BusMessage): Pair[] {
  if (!Array.isArray(message)) return []
  return message.flatMap((pair): Pair[] => {
    if (!Array.isArray(pair)) return []
    const [topic, revision] = pair
    return typeof topic === 'string' && typeof revision === 'number' ? [[topic, revision]] : []
  })
}
