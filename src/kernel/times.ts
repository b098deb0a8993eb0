const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

/** As every answer shows a time: ISO 8601, UTC, milliseconds. */
export function renderTime(ms: number): string {
  return new Date(ms).toISOString()
}

export function renderTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : renderTime(ms)
}

/** RFC 3339 with a time zone; undefined when it is not, or names a day or zone that is none. */
export function parseTime(text: string): number | undefined {
  if (!DATE_TIME.test(text) || !isRealDay(text.slice(0, 10))) return undefined
  const ms = Date.parse(text.toUpperCase())
  return Number.isNaN(ms) ? undefined : ms
}

/** A bare date is its first instant in UTC. */
export function parseDate(text: string): number | undefined {
  return DATE.test(text) && isRealDay(text) ? Date.parse(text) : undefined
}

/** JavaScript takes 30 February for 2 March. */
function isRealDay(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}
