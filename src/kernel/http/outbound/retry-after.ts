/** The weekday with which every form of a date begins, the two old ones too (RFC 9110 §5.6.7). */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/** How long `Retry-After` asks to wait (RFC 9110 §10.2.3); null when it is not there or cannot be understood. */
export function retryAfterMs(value: unknown, nowMs: number): number | null {
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  if (!DATE.test(text)) return null
  // The oldest form names no zone, and the server's own would be taken.
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
