import { kindOf } from '../fields/index.ts'
import { type Attribute, type FieldSet, isScalar, type ScalarAttribute } from '../model.ts'
import type { ParsedBody, Problems } from './input/parsed.ts'

/**
 * Adds what a new live entry would lack, or has too little of, to an input that is refused anyway, so that its
 * sender hears of everything at once. Attributes with another fault are not mentioned again.
 */
export function addMissing(set: FieldSet, parsed: ParsedBody, problems: Problems): void {
  const wrong = new Set(problems.issues.map(({ path }) => path[0]))
  for (const attribute of set.attributes) {
    if (wrong.has(attribute.name)) continue
    const path = [attribute.name]
    const fault = isScalar(attribute) ? tooLittle(attribute, parsed) : undefined
    if (attribute.required && !isGiven(attribute, parsed)) {
      problems.add(path, 'required', 'is required')
    } else if (fault) problems.add(path, fault.rule, fault.message)
  }
}

function tooLittle(attribute: ScalarAttribute, { scalars }: ParsedBody) {
  const value = scalars.get(attribute.no)?.value ?? null
  return value === null ? undefined : kindOf(attribute).checkLive(value, attribute)
}

function isGiven(
  attribute: Attribute,
  { scalars, members, relations, media, parts }: ParsedBody,
): boolean {
  const { no } = attribute
  if (members.has(no)) return true
  if (isScalar(attribute)) {
    if (attribute.type === 'uid' && attribute.targetField !== undefined) return true
    const value = scalars.has(no) ? scalars.get(no)?.value : attribute.default
    return value !== undefined && value !== null && value !== ''
  }
  return relations.has(no) || media.has(no) || (parts.get(no) ?? null) !== null
}
