import { renderTime } from '#kernel'

/** `YYYY-MM-DD HH:MM:SS` in UTC (contract §2). */
export function renderWireTime(ms: number): string {
  return toWireTime(renderTime(ms))
}

/** Of a time in ISO 8601, UTC, as it is stored. */
export function toWireTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
}
