import { isIPv4, isIPv6 } from 'node:net'
import { isUuid } from '../ids.ts'
import { parseDate, parseTime } from '../times.ts'

/** Lengths are bounded by the payload; none of the expressions goes back over what it has read. */
export const FORMATS = new Map<string, (text: string) => boolean>([
  ['date-time', (text) => parseTime(text) !== undefined],
  ['date', (text) => parseDate(text) !== undefined],
  ['time', (text) => parseTime(`2026-01-01T${text}`) !== undefined],
  ['email', (text) => text.length <= 254 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(text)],
  ['uuid', isUuid],
  ['uri', (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['hostname', isHostname],
])

function isHostname(text: string): boolean {
  return (
    text.length <= 253 &&
    text.split('.').every((label) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label))
  )
}
