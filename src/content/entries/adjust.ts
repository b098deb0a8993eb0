import { type DomainError, invalid } from '#kernel'
import { kindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import { type ContentType, isAdjustable, type ScalarAttribute } from '../model.ts'
import { NOTHING } from './input/parse.ts'
import { createProblems } from './input/parsed.ts'
import type { Loaded } from './load.ts'
import type { Prepared } from './prepare.ts'

type Change = { readonly by: number; readonly floor?: number } | { readonly to: number }

/** The new value of an unversioned number, from what it is now that its document is locked. */
export function adjustedInput(
  type: ContentType,
  { work }: Loaded,
  name: string,
  change: Change,
): Prepared {
  const attribute = numberOf(type, name)
  const current = work.body.values.get(attribute.no)
  const wanted = 'to' in change ? change.to : sumOf(attribute, current, change.by)
  const parsed = kindOf(attribute).parse(wanted, attribute)
  if (!parsed.ok) throw refused(name, parsed.rule, parsed.message)
  const fault = kindOf(attribute).checkLive(parsed.value, attribute)
  if (fault) throw refused(name, fault.rule, fault.message)
  if ('floor' in change && change.floor !== undefined && Number(parsed.value) < change.floor) {
    throw refused(name, 'min', `cannot fall below ${change.floor}`)
  }
  const scalars = new Map([[attribute.no, { value: parsed.value }]])
  return {
    input: { values: {} },
    parsed: { ...NOTHING, scalars },
    problems: createProblems(),
  }
}

function numberOf(type: ContentType, name: string): ScalarAttribute {
  const attribute = type.attribute.get(name)
  if (!isAdjustable(attribute)) throw refused(name, 'type', 'is not an unversioned number')
  return attribute
}

/** In whole units of the column, so that decimals add up exactly. */
function sumOf(attribute: ScalarAttribute, current: JsonValue | undefined, by: number): JsonValue {
  const kind = kindOf(attribute)
  const step = kind.parse(by, attribute)
  if (!step.ok) throw refused(attribute.name, step.rule, step.message)
  const before = current === undefined ? 0 : kind.toColumn(current, attribute)
  const after = kind.toColumn(step.value, attribute)
  if (kind.column.kind === 'double') return Number(before) + Number(after)
  return kind.fromColumn(String(BigInt(before) + BigInt(after)), attribute)
}

function refused(name: string, rule: string, message: string): DomainError {
  return invalid([{ path: [name], rule, message: `${name} ${message}` }])
}
