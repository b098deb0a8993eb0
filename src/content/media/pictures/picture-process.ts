import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PictureOrder, PictureOutcome } from './order.ts'

/** The process ended, or was ended because a picture took too long. */
export type Died = { readonly kind: 'died'; readonly message: string }

/** Far more than the largest picture within the limit of pixels takes, on a busy machine too. */
const LONGEST_MS = 60_000
/** Its memory is given back between two uploads. */
const IDLE_MS = 10_000

/** One picture after the other in a process of its own, started with the first of them. */
export function createPictureProcess({ longestMs = LONGEST_MS } = {}) {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  return { make, stop }

  async function make(order: PictureOrder, signal: AbortSignal): Promise<PictureOutcome | Died> {
    clearTimeout(idle)
    child ??= start()
    const running = child
    const done = new AbortController()
    const tooLong = AbortSignal.timeout(longestMs)
    const options = { signal: AbortSignal.any([signal, tooLong, done.signal]) }
    try {
      running.send(order)
      const [outcome]: PictureOutcome[] = await Promise.race([
        once(running, 'message', options),
        once(running, 'exit', options).then(() => []),
      ])
      return outcome ?? died('the process that read it ended')
    } catch (error) {
      if (tooLong.aborted) return died(`it took more than ${longestMs / 1_000} seconds`)
      return died(error instanceof Error ? error.message : String(error))
    } finally {
      // Whoever waits for the other of the two stops listening.
      done.abort()
      idle = setTimeout(stop, IDLE_MS).unref()
    }
  }

  function died(message: string): Died {
    stop()
    return { kind: 'died', message }
  }

  function start(): ChildProcess {
    const started = launch()
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    return started
  }

  function stop() {
    clearTimeout(idle)
    child?.kill('SIGKILL')
    child = undefined
  }
}

function launch(): ChildProcess {
  const entry = fileURLToPath(import.meta.resolve('#content-pictures-process'))
  // Nothing of the server's environment, which may hold secrets, is for whoever breaks a decoder.
  const child = fork(entry, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.unref()
  child.channel?.unref()
  return child
}
