import { flushCompileCache } from 'node:module'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Who began the server has requests for it, and a process that soon ends would collect for nothing. */
const FIRST_LOOK_MS = 10_000
const LOOK_EVERY_MS = 5_000
/** A thread that has grown by so much since it was last collected may hold that much garbage. */
const GROWN_BYTES = 32 * 1024 * 1024
/** Of its time: whoever works less has nobody waiting for the milliseconds of a collection. */
const IDLE = 0.05
/** A thread that is light is not waited for until it is idle: work in the background may last for minutes. */
const HALF = 0.5
const SELDOM_MS = 60_000

/**
 * For a thread that has loaded its code and is ready. What it has compiled goes into the compile
 * cache, for the next start: now and not only at its end, because a process that is killed has none.
 * `isLight`: a collection takes it some 40 ms at most, which once a minute nobody notices.
 */
export function settleThread({ isLight = false } = {}): void {
  flushCompileCache()
  collectWhenIdle(isLight)
}

/** V8 keeps what the start and heavy use have left for as long as a thread has little to do. */
function collectWhenIdle(isLight: boolean): void {
  let held = Number.NEGATIVE_INFINITY
  let collectedMs = Number.NEGATIVE_INFINITY
  let before = performance.eventLoopUtilization()
  setTimeout(() => {
    look()
    setInterval(look, LOOK_EVERY_MS).unref()
  }, FIRST_LOOK_MS).unref()

  function look() {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const isSeldom = performance.now() - collectedMs >= SELDOM_MS
    const most = isLight && isSeldom ? HALF : IDLE
    if (utilization > most || heldBytes() - held < GROWN_BYTES) return
    collectGarbage()
    held = heldBytes()
    collectedMs = performance.now()
  }
}

function heldBytes(): number {
  const { total_physical_size: heap, external_memory: outside } = getHeapStatistics()
  return heap + outside
}

/** With the flavour that gives pages back, which the regular one does not. */
function collectGarbage(): void {
  // Stays set: other threads may be between this line and the next.
  setFlagsFromString('--expose-gc')
  const gc: NodeJS.GCFunction = runInNewContext('gc')
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
