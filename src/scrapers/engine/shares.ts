import { createTurns } from '../turns.ts'

const ENDLESS = { waiting: Number.POSITIVE_INFINITY, waitingOfUser: Number.POSITIVE_INFINITY }
const READING = { ...ENDLESS, atOnce: 1, atOnceOfUser: 1 }
/** One of a user: a transaction holds many pages, and SQLite carries out one after the other. */
const WRITING = { ...ENDLESS, atOnce: 4, atOnceOfUser: 1 }
/** Reading that took longer is followed by a rest of a quarter of it. */
const LONG_MS = 100
const MAX_REST_MS = 500

/**
 * What runs of different users share in the crawling thread. Users take turns at both: hundreds of
 * pages of one user delay a page of another by one page or one transaction.
 */
export function createShares() {
  const reading = createTurns(READING)
  const writing = createTurns(WRITING)
  const pages = createPages()
  const { signal: never } = new AbortController()
  return { takeReading, write, undisturbed: pages.without }

  /**
   * Resolves when a page of the user may be read; the reading must follow at once. It keeps the whole
   * thread busy, so between two pages everything else of the thread goes on. Some of that is several
   * steps, each of which waits for an answer: several huge pages at once must not cost a run its lease.
   */
  async function takeReading(userId: number, signal: AbortSignal): Promise<void> {
    const leave = await reading.enter(userId, signal)
    if (typeof leave !== 'function') return
    const go = await pages.begin()
    const startedMs = performance.now()
    setImmediate(() => {
      go()
      const tookMs = performance.now() - startedMs
      if (tookMs < LONG_MS) leave()
      else setTimeout(leave, Math.min(tookMs / 4, MAX_REST_MS))
    })
  }

  async function write<Result>(userId: number, work: () => Promise<Result>): Promise<Result> {
    const leave = await writing.enter(userId, never)
    try {
      return await work()
    } finally {
      if (typeof leave === 'function') leave()
    }
  }
}

/** Pages and transactions that exclude each other; a page waits for those that are open, the next ones for it. */
function createPages() {
  let open = 0
  let reading: Promise<void> | undefined
  let ended = () => {}
  return { begin, without }

  async function begin(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    reading = promise
    while (open > 0)
      await new Promise<void>((go) => {
        ended = go
      })
    return () => {
      reading = undefined
      resolve()
    }
  }

  async function without<Result>(work: () => Promise<Result>): Promise<Result> {
    while (reading) await reading
    open++
    try {
      return await work()
    } finally {
      open--
      ended()
    }
  }
}
