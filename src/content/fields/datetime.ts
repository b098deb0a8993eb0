import { parseDate, parseMoment, renderTime } from '#kernel'
import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, refused } from './support/results.ts'
import { textColumn } from './support/text.ts'

// Years outside four digits have another ISO form, which few readers know.
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** An instant, to the millisecond. */
export const datetime: FieldKind<PlainAttribute> = {
  type: 'datetime',
  wireKind: 'datetime',
  options: NONE,
  column: { kind: 'integer', compared: true, folded: false, indexed: true },
  searched: false,
  openapi: () => ({ type: 'string', format: 'date-time' }),
  parse(value) {
    const ms = inRange(typeof value === 'string' ? parseMoment(value) : value)
    return ms.ok ? accepted(renderTime(ms.value)) : ms
  },
  checkLive: () => undefined,
  toColumn: (value) => Date.parse(textColumn(value)),
  fromColumn: (stored) => renderTime(Number(stored)),
  /** A bare date is its first instant. */
  parseFilter(value) {
    if (typeof value !== 'string') return inRange(value)
    return inRange(parseMoment(value) ?? parseDate(value))
  },
}

function inRange(ms: unknown): FieldResult<number> {
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= FIRST_MS && ms <= LAST_MS) {
    return accepted(ms)
  }
  return refused('datetime', 'must be a time such as 2026-05-04T10:20:30Z, or epoch milliseconds')
}
