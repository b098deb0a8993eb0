import type { Bus } from '../bus/port.ts'
import type { Log } from '../log.ts'
import { receiveHandover } from './handover.ts'
import { createHolder } from './holder.ts'

interface Deps<V extends object> {
  readonly bus: Bus
  /** What `settings.snapshot()` of the main thread gave when this thread was started. */
  readonly snapshot: V
  readonly log: Log
}

/** The settings in a thread without a database: the main thread's values, moments later. */
export function createSettingsFollower<V extends object>({ bus, snapshot, log }: Deps<V>) {
  const holder = createHolder(snapshot, log)
  const close = receiveHandover(bus, (area, values) => {
    const next: unknown = { ...holder.all(), [area]: values }
    if (hasSameShape(next)) holder.replace(next)
  })
  return { get: holder.get, onChange: holder.onChange, close }

  /** The main thread has checked the values themselves. */
  function hasSameShape(next: unknown): next is V {
    if (typeof next !== 'object' || next === null) return false
    return Object.keys(next).length === Object.keys(snapshot).length
  }
}
