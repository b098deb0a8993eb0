import { flushCompileCache } from 'node:module'

/**
 * Writes what this thread has compiled into the compile cache, for the next start: once it is ready
 * and not only at its end, because a process that is killed has none.
 */
export function keepCompiled(): void {
  flushCompileCache()
}
