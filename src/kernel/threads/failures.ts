import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

interface Deps {
  readonly clock: Clock
  readonly log: Log
  /** Threads keep dying: the process should end, so that whoever watches it can act. */
  onGiveUp(name: string, error: Error): void
}

const LIMIT = 5
const WINDOW_MS = 60_000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 5_000

/** Decides how long to wait before a dead thread is started again, and when to stop trying. */
export function createFailures({ clock, log, onGiveUp }: Deps) {
  const recent = new Map<string, number[]>()
  return { note }

  /** Logs the death and returns the wait before the next start; undefined means give up. */
  function note(name: string, error: Error): number | undefined {
    const nowMs = clock.now()
    const deaths = (recent.get(name) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS)
    deaths.push(nowMs)
    recent.set(name, deaths)
    if (deaths.length > LIMIT) {
      log.error({ thread: name, err: error }, 'a thread keeps failing; giving up')
      onGiveUp(name, error)
      return undefined
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (deaths.length - 1), LONGEST_WAIT_MS)
    log.error({ thread: name, err: error, waitMs }, 'a thread died and is started again')
    return waitMs
  }
}

export type Failures = ReturnType<typeof createFailures>
