import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Outcome } from './watch.ts'

const FAILURES_TO_OPEN = 3
const SKIP_MS = 1_000

/** After three failures in a row the store is left alone for a second at a time. */
export function createCircuit({ clock, log }: { clock: Clock; log: Pick<Log, 'info' | 'warn'> }) {
  let failures = 0
  let skipUntilMs = 0
  let trialUnderWay = false
  return { isClosed, takeTrial, record }

  function isClosed(): boolean {
    return failures < FAILURES_TO_OPEN
  }

  /** True for the one caller that shall find out whether the store is back; it must `record`. */
  function takeTrial(): boolean {
    const leftMs = skipUntilMs - clock.now()
    // More than a whole pause left means that the clock was set back.
    if (isClosed() || trialUnderWay || (leftMs > 0 && leftMs <= SKIP_MS)) return false
    trialUnderWay = true
    return true
  }

  function record(outcome: Outcome<unknown>): void {
    trialUnderWay = false
    if (outcome.kind === 'answer') {
      if (!isClosed()) log.info({ failures }, 'the counter store answers again')
      failures = 0
      return
    }
    failures++
    skipUntilMs = clock.now() + SKIP_MS
    if (failures === FAILURES_TO_OPEN) {
      const err = outcome.kind === 'error' ? outcome.error : undefined
      log.warn({ err, failures }, 'the counter store does not answer; limits are kept without it')
    }
  }
}
