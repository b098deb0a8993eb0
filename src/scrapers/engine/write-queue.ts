import type { Commit } from './commit.ts'
import type { Finished } from './page-writes.ts'

interface Deps {
  readonly commit: Commit['commit']
  /** Counts and time as they were when this worker took the run. */
  readonly run: {
    readonly pagesFetched: number
    readonly itemsCollected: number
    readonly activeMs: number
  }
  readonly maxItems: number | null
  /** Pages that are written in one transaction. */
  readonly batchSize: number
  /** Rising milliseconds. */
  now(): number
  /** These pages are committed; an empty list: the queue has run empty. */
  onWritten(batch: readonly Finished[]): void
}

/** Pages that are read and not yet written: one transaction at a time, for all that wait by then. */
export function createWriteQueue({ commit, run, maxItems, batchSize, now, onWritten }: Deps) {
  const unwritten: Finished[] = []
  let { pagesFetched, itemsCollected, activeMs } = run
  let activeSinceMs = now()
  let writing: Promise<void> | undefined
  let failure: unknown
  return {
    ...{ add, settled, throwIfFailed, endedPages },
    size: () => unwritten.length,
    isIdle: () => unwritten.length === 0 && !writing,
    /** As written, over the whole run. */
    counts: () => ({ pagesFetched, itemsCollected }),
    /** How long the run has been worked on, by whatever workers. */
    activeMs: () => activeMs + now() - activeSinceMs,
  }

  function add(finished: Finished) {
    unwritten.push(finished)
    if (failure === undefined) writing ??= write()
  }

  async function write() {
    try {
      while (unwritten.length > 0 && failure === undefined) {
        const batch = unwritten.slice(0, batchSize)
        const roomForItems = (maxItems ?? Number.POSITIVE_INFINITY) - itemsCollected
        const added = await commit(batch, { activeMs: spendTime(), roomForItems })
        pagesFetched += added.pagesFetched
        itemsCollected += added.itemsCollected
        unwritten.splice(0, batch.length)
        onWritten(batch)
      }
    } catch (error) {
      failure = error
    }
    // In the same breath as the last look at the queue: what came in between, nobody would write.
    writing = undefined
    onWritten([])
  }

  /** The time since the last call, which counts against the run's duration. */
  function spendTime(): number {
    const nowMs = now()
    const spentMs = Math.round(nowMs - activeSinceMs)
    activeSinceMs = nowMs
    activeMs += spentMs
    return spentMs
  }

  /** Pages that will not come again and are not in the counts yet. */
  function endedPages(): number {
    return unwritten.filter(({ retryAtMs }) => retryAtMs === null).length
  }

  /** Whatever is being written is written or has failed. */
  async function settled(): Promise<void> {
    await writing
  }

  function throwIfFailed() {
    if (failure !== undefined) throw failure
  }
}
