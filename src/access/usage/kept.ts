import { HOUR_MS, monthsBefore } from './periods.ts'

/** From when on roll-ups are there (access contract §7); days and months are kept for ever. */
export function kept(nowMs: number) {
  return {
    minute: nowMs - 48 * HOUR_MS,
    hour: monthsBefore(nowMs, 13),
    day: Number.NEGATIVE_INFINITY,
  }
}
