import { flushCompileCache } from 'node:module'
import { queryObjects } from 'node:v8'

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
 * do. Asking it for objects makes it collect all there is and give the pages back; nothing else does
 * without flags. It takes 50 to 100 ms, once.
 */
function collectGarbage(): void {
  queryObjects(Nothing, { format: 'count' })
}

class Nothing {}
