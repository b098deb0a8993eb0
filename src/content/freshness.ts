import type { Bus, BusMessage } from '#bus'
import type { Tx } from '#db'

const TOUCHED = 'content.touched'
const GATHER_MS = 5

interface Deps {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  /** Threads hear of a write at the end of the turn that it ended in; other processes at short intervals. */
  readonly isSingleProcess?: boolean
  /** Nobody but this thread keeps answers, so that nobody has to hear of what it writes. */
  readonly isOnlyKeeper?: boolean
}

/**
 * Tells whether an answer made from certain types may have changed since. A change counts from its
 * commit in this process, and from its notice in others: where several processes write, whoever
 * keeps answers must also limit their age, because a notice can be lost (content model §10.9).
 */
export function createFreshness({ bus, isSingleProcess = true, isOnlyKeeper = false }: Deps) {
  const lastTouch = new Map<number, number>()
  const waiting = new Set<number>()
  let moment = 0
  const close = bus.subscribe(TOUCHED, (message) => note(parseNumbers(message)))
  return { touch, now: () => moment, isUnchanged, close }

  /** Call it in the transaction of every change, with the types whose answers it changes. */
  function touch(tx: Pick<Tx, 'afterCommit'>, typeNos: readonly number[]): void {
    if (typeNos.length === 0) return
    tx.afterCommit(() => {
      note(typeNos)
      if (isOnlyKeeper) return
      if (waiting.size === 0) tellSoon()
      for (const no of typeNos) waiting.add(no)
    })
  }

  /**
   * One notice for many writes: each wakes every thread of this process, and costs the database a commit of its own
   * where it reaches others.
   */
  function tellSoon() {
    if (isSingleProcess) setImmediate(tellOthers)
    else setTimeout(tellOthers, GATHER_MS).unref()
  }

  function tellOthers() {
    const typeNos = [...waiting]
    waiting.clear()
    bus.publish(TOUCHED, typeNos).catch(() => {})
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

export type Freshness = ReturnType<typeof createFreshness>

function parseNumbers(message: BusMessage): number[] {
  if (!Array.isArray(message)) return []
  return message.filter((each) => typeof each === 'number')
}
