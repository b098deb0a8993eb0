import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then the requests that waited for the start have had their answers. */
const COLLECT_AFTER_MS = 1_000

/**
 * For a thread that has loaded its code and is ready. What it has compiled goes into the compile
 * cache, for the next start: now and not only at its end, because a process that is killed has none.
 */
export function settleThread(): void {
  flushCompileCache()
  setTimeout(collectGarbage, COLLECT_AFTER_MS).unref()
}

/**
 * Loading leaves a third of the heap as garbage, which V8 keeps as long as a thread has little to
 * do. Once, and with the flavour that gives pages back, which the regular one does not.
 */
function collectGarbage(): void {
  // Stays set: other threads may be between this line and the next.
  setFlagsFromString('--expose-gc')
  const gc: NodeJS.GCFunction = runInNewContext('gc')
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
