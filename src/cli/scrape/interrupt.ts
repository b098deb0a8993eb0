import { constants } from 'node:os'
import type { Output } from '../command.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal ends the work in order, a second one the process at once. */
export function createInterrupt({ err, progress }: Pick<Output, 'err' | 'progress'>) {
  let code = 0
  let stop: (() => void) | undefined
  for (const signal of SIGNALS) process.on(signal, receive)
  return { onFirst, exitCode: () => code, end }

  function receive(signal: NodeJS.Signals) {
    if (code !== 0) process.exit(code)
    // As shells count: 130 after Ctrl-C.
    code = 128 + constants.signals[signal]
    progress?.('')
    err('Stopping; what was collected is kept. Once more to end at once.')
    stop?.()
  }

  /** Called at once when the signal has come already. */
  function onFirst(work: () => void) {
    stop = work
    if (code !== 0) work()
  }

  function end() {
    for (const signal of SIGNALS) process.off(signal, receive)
  }
}
