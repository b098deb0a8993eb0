import type { Bus } from '#bus'
import { COUNTED_TOPIC } from '../topics.ts'
import type { Outcome } from './record.ts'

const TELL_EVERY_MS = 1_000

/** Counts attempts and tells the main thread, which has the metrics of the process. */
export function createCounting(bus: Pick<Bus, 'publish'>) {
  let counts = new Map<string, number>()
  let milliseconds = 0
  let timer: NodeJS.Timeout | undefined
  return { observe, stop }

  function observe({ attempted }: Outcome) {
    const result = attempted.error?.code ?? 'success'
    counts.set(result, (counts.get(result) ?? 0) + 1)
    milliseconds += attempted.durationMs
    timer ??= setTimeout(tell, TELL_EVERY_MS)
  }

  function tell() {
    timer = undefined
    if (counts.size === 0) return
    void bus.publish(COUNTED_TOPIC, { counts: Object.fromEntries(counts), milliseconds })
    counts = new Map()
    milliseconds = 0
  }

  function stop() {
    clearTimeout(timer)
    tell()
  }
}
