import { type Attribute, type FieldSet, isScalar } from '../model.ts'
import type { ParsedBody, Problems } from './input/parsed.ts'

/**
 * Adds what a new live entry would lack to an input that is refused anyway, so that its sender hears
 * of everything at once. Attributes with another fault are not mentioned again.
 */
export function addMissing(set: FieldSet, parsed: ParsedBody, problems: Problems): void {
  const wrong = new Set(problems.issues.map(({ path }) => path[0]))
  for (const attribute of set.attributes) {
    const isMissing =
      attribute.required && !wrong.has(attribute.name) && !isGiven(attribute, parsed)
    if (isMissing) problems.add([attribute.name], 'required', 'is required')
  }
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
