import { renderTime } from '#kernel'

/** ISO 8601 in UTC; milliseconds only where there are some. */
export function renderDate(ms: number): string {
  const text = renderTime(ms)
  return ms % 1_000 === 0 ? `"${text.slice(0, -5)}Z"` : `"${text}"`
}
