import { parseDay } from '#kernel'
import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, refused } from './support/results.ts'
import { textColumn, textFromColumn } from './support/text.ts'

/** A day of the calendar, in a form whose texts sort as the days do. */
export const date: FieldKind<PlainAttribute> = {
  type: 'date',
  wireKind: 'date',
  options: NONE,
  column: { kind: 'text', compared: true, folded: false, indexed: true },
  searched: false,
  openapi: () => ({ type: 'string', format: 'date' }),
  parse: parseDate,
  checkLive: () => undefined,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseDate,
}

/** Forms send a time where a day is meant: the date it is written with counts. */
function parseDate(value: unknown): FieldResult<string> {
  const day = typeof value === 'string' ? parseDay(value) : undefined
  return day === undefined ? refused('date', 'must be a date such as 2026-05-04') : accepted(day)
}
