import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, refused } from './support/results.ts'
import { textColumn, textFromColumn } from './support/text.ts'

const FORM = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$/
const SECONDS_LENGTH = 'HH:mm:ss'.length

/** A time of day without a zone, to the millisecond. */
export const time: FieldKind<PlainAttribute> = {
  type: 'time',
  wireKind: 'time',
  options: NONE,
  column: { kind: 'text', compared: true, folded: false, indexed: true },
  searched: false,
  openapi: () => ({ type: 'string' }),
  parse: parseTimeOfDay,
  checkLive: () => undefined,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTimeOfDay,
}

function parseTimeOfDay(value: unknown): FieldResult<string> {
  if (typeof value !== 'string' || !FORM.test(value)) {
    return refused('time', 'must be a time such as 10:20:30 or 10:20:30.123')
  }
  const fraction = value.slice(SECONDS_LENGTH + 1, SECONDS_LENGTH + 4).padEnd(3, '0')
  return accepted(`${value.slice(0, SECONDS_LENGTH)}.${fraction}`)
}
