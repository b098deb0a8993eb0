import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, refused } from './support/results.ts'

const TRUE: readonly unknown[] = [true, 'true', 't', '1', 1]
const FALSE: readonly unknown[] = [false, 'false', 'f', '0', 0]

/** True or false. */
export const boolean: FieldKind<PlainAttribute> = {
  type: 'boolean',
  wireKind: 'boolean',
  options: NONE,
  column: { kind: 'integer', compared: true, folded: false, indexed: true },
  searched: false,
  openapi: () => ({ type: 'boolean' }),
  parse: parseBoolean,
  checkLive: () => undefined,
  toColumn: (value) => (value === true ? 1 : 0),
  fromColumn: (stored) => Number(stored) === 1,
  parseFilter(value) {
    const flag = parseBoolean(value)
    return flag.ok ? accepted(flag.value ? 1 : 0) : flag
  },
}

function parseBoolean(value: unknown): FieldResult<boolean> {
  if (TRUE.includes(value)) return accepted(true)
  if (FALSE.includes(value)) return accepted(false)
  return refused('type', 'must be true or false')
}
