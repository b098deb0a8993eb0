import { spreadMs } from '#jobs'
import type { Random } from '#kernel'

export interface RetrySettings {
  /** Seconds before each further attempt. */
  readonly retrySchedule: readonly number[]
  readonly jitter: number
}

const LONGEST_WAIT_MS = 86_400_000

/**
 * When a delivery is tried again after so many tries (1 = the first), or null when they are used up.
 * `Retry-After` is obeyed, but for at most a day (webhooks contract §9.1).
 */
export function nextAttemptAt(
  tries: number,
  { retrySchedule, jitter }: RetrySettings,
  { nowMs, notBeforeMs, random }: { nowMs: number; notBeforeMs: number | null; random: Random },
): number | null {
  const seconds = retrySchedule[tries - 1]
  if (seconds === undefined) return null
  const planned = nowMs + spreadMs(seconds * 1000, jitter, random)
  return Math.max(planned, Math.min(notBeforeMs ?? 0, nowMs + LONGEST_WAIT_MS))
}
