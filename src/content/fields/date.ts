import { parseDate } from '#kernel'
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
  parse: parseDay,
  checkLive: () => undefined,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseDay,
}

function parseDay(value: unknown): FieldResult<string> {
  if (typeof value !== 'string' || parseDate(value) === undefined) {
    return refused('date', 'must be a date such as 2026-05-04')
  }
  return accepted(value)
}
