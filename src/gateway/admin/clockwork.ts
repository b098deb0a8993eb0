import type { Clock, Log } from '#kernel'

interface Deps {
  readonly clock: Clock
  readonly log: Log
  /** Each does what has become due by that time, and nothing when nothing has. */
  readonly duties: readonly ((nowMs: number) => Promise<void>)[]
}

/** Lifetimes are whole seconds; a look goes through the whole configuration. */
const EVERY_MS = 500
/** While the store is away. */
const AGAIN_MS = 2_000

/** What happens to the configuration by itself when its time has come, on whichever node is first. */
export function startClockwork({ clock, log, duties }: Deps): () => void {
  let isBusy = false
  let notBefore = 0
  const timer = setInterval(() => void turn(), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)

  async function turn() {
    if (isBusy || performance.now() < notBefore) return
    isBusy = true
    try {
      for (const duty of duties) await duty(clock.now())
    } catch (error) {
      notBefore = performance.now() + AGAIN_MS
      log.warn({ err: error }, 'the configuration of the gateway cannot be brought up to date')
    }
    isBusy = false
  }
}
