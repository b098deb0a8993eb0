export const CALENDAR_UNITS = ['minute', 'hour', 'day', 'month'] as const
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Why a text is no time zone; null when it is one. */
export function timeZoneFault(zone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return null
  } catch {
    return 'must be a time zone such as Europe/Berlin'
  }
}

/**
 * Ends of the minutes, hours, days or months of a time zone. A day or month ends where the date
 * changes on the wall, also when clocks are put forward or back in between.
 */
export function createCalendar(unit: CalendarUnit, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  let startsAtMs = 0
  let endsAtMs = 0
  return { endOf }

  /** The same number for all moments of one period. */
  function endOf(nowMs: number): number {
    if (nowMs < startsAtMs || nowMs >= endsAtMs) {
      endsAtMs = findEnd(nowMs)
      startsAtMs = nowMs
    }
    return endsAtMs
  }

  function findEnd(nowMs: number): number {
    const offsetMs = offsetAt(nowMs)
    const wallMs = nowMs + offsetMs
    if (unit === 'minute' || unit === 'hour') {
      const lengthMs = unit === 'minute' ? MINUTE_MS : HOUR_MS
      return wallMs - (wallMs % lengthMs) + lengthMs - offsetMs
    }
    const wall = new Date(wallMs)
    const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()]
    const nextWallMs = unit === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)
    const guessMs = nextWallMs - offsetAt(nextWallMs - offsetMs)
    return nextWallMs - offsetAt(guessMs)
  }

  /** How far the clocks on the wall are ahead of UTC. */
  function offsetAt(atMs: number): number {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
    const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name))
    const wallMs = Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const),
    )
    return wallMs - (atMs - (atMs % 1000))
  }
}

export type Calendar = ReturnType<typeof createCalendar>
