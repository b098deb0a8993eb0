import { type Bus, type BusMessage, PROCESS_TOPIC } from '#bus'
import type { Tx } from '#db'

const TOUCHED = 'content.touched'
const TOUCHED_HERE = `${PROCESS_TOPIC}${TOUCHED}`
const GATHER_MS = 5

interface Deps {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  /** No other process has to hear of what is written. */
  readonly isSingleProcess?: boolean
  /** This thread keeps the answers of its process, so that no other thread has to hear of what it writes. */
  readonly isKeeper?: boolean
}

/**
 * Tells whether an answer made from certain types may have changed since. A change counts from its
 * commit in this thread, and from its notice in others. A thread of this process is told before the writer
 * can say of anything later that it is done: who has seen a run of a scraper end reads what it has written.
 * Where several processes write, whoever keeps answers must also limit their age, because a notice can be
 * lost (content model §10.9).
 */
export function createFreshness({ bus, isSingleProcess = true, isKeeper = false }: Deps) {
  const lastTouch = new Map<number, number>()
  const here = createNotices(bus, TOUCHED_HERE, (tell) => setImmediate(tell))
  // A notice costs the database a commit of its own.
  const elsewhere = createNotices(bus, TOUCHED, (tell) => setTimeout(tell, GATHER_MS).unref())
  let moment = 0
  const ends = [TOUCHED_HERE, TOUCHED].map((topic) =>
    bus.subscribe(topic, (message) => note(parseNumbers(message))),
  )
  return { touch, now: () => moment, isUnchanged, close }

  function close() {
    for (const end of ends) end()
  }

  /** Call it in the transaction of every change, with the types whose answers it changes. */
  function touch(tx: Pick<Tx, 'afterCommit'>, typeNos: readonly number[]): void {
    if (typeNos.length === 0) return
    tx.afterCommit(() => {
      note(typeNos)
      if (!isKeeper) here.add(typeNos)
      if (!isSingleProcess) elsewhere.add(typeNos)
    })
  }

  /** Whether nothing of these types has changed after `since`, a moment that `now` gave. */
  function isUnchanged(since: number, typeNos: readonly number[]): boolean {
    return moment === since || typeNos.every((no) => (lastTouch.get(no) ?? 0) <= since)
  }

  function note(typeNos: readonly number[]) {
    moment++
    for (const no of typeNos) lastTouch.set(no, moment)
  }
}

/** One notice for many writes: each wakes every thread that hears it. */
function createNotices(bus: Pick<Bus, 'publish'>, topic: string, soon: (tell: () => void) => void) {
  const waiting = new Set<number>()
  return { add }

  function add(typeNos: readonly number[]) {
    if (waiting.size === 0) soon(tell)
    for (const no of typeNos) waiting.add(no)
  }

  function tell() {
    const told = [...waiting]
    waiting.clear()
    bus.publish(topic, told).catch(() => {})
  }
}

export type Freshness = ReturnType<typeof createFreshness>

function parseNumbers(message: BusMessage): number[] {
  if (!Array.isArray(message)) return []
  return message.filter((each) => typeof each === 'number')
}
