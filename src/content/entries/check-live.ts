import { kindOf } from '../fields/index.ts'
import type { JsonValue } from '../json.ts'
import {
  type Attribute,
  type FieldSet,
  type HoldingAttribute,
  holdsComponents,
  isPartList,
  isScalar,
  type ScalarAttribute,
} from '../model.ts'
import type { Body } from './body.ts'
import type { Path, Problems } from './input/parsed.ts'

interface Context {
  readonly problems: Problems
  /** Of the entry's own attributes; those of components are always checked with their component. */
  readonly isChecked: (attribute: Attribute) => boolean
  /** Whether an inverse relation, which is stored with others, has anything. */
  readonly hasInverse: (attribute: Attribute) => boolean
}

/** What must hold for everything that is live, and for drafts need not: content model §3.1. */
export function checkLive(set: FieldSet, body: Body, context: Context, at: Path = []) {
  for (const attribute of set.attributes.filter(context.isChecked)) {
    const path = [...at, attribute.name]
    if (attribute.required && !hasValue(attribute, body, context)) {
      context.problems.add(path, 'required', 'is required')
    } else if (isScalar(attribute)) {
      checkScalar(attribute, body.values.get(attribute.no), path, context.problems)
    } else if (holdsComponents(attribute)) checkParts(attribute, body, path, context)
  }
}

function hasValue(attribute: Attribute, body: Body, { hasInverse }: Context): boolean {
  const { no } = attribute
  if (holdsComponents(attribute)) {
    const parts = body.parts.get(no)
    return parts !== undefined && (isPartList(attribute) || parts.length > 0)
  }
  if (attribute.type === 'relation' && attribute.side === 'inverse') return hasInverse(attribute)
  if (!isScalar(attribute)) return (body.links.get(no)?.length ?? 0) > 0
  const value = body.values.get(no)
  // It is made after this check.
  if (attribute.type === 'uid' && attribute.targetField !== undefined) return true
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function checkScalar(
  attribute: ScalarAttribute,
  value: JsonValue | undefined,
  path: Path,
  problems: Problems,
) {
  if (value === undefined) return
  const fault = kindOf(attribute).checkLive(value, attribute)
  if (fault) problems.add(path, fault.rule, fault.message)
}

function checkParts(attribute: HoldingAttribute, body: Body, path: Path, context: Context) {
  const parts = body.parts.get(attribute.no) ?? []
  const isList = isPartList(attribute)
  const isCounted = isList && (attribute.required || parts.length > 0)
  if (isCounted && parts.length < (attribute.min ?? 0)) {
    context.problems.add(path, 'min', `must have at least ${attribute.min} elements`)
  }
  for (const [index, part] of parts.entries()) {
    const own = isList ? [...path, index] : path
    checkLive(part.component, part.body, { ...context, isChecked: () => true }, own)
  }
}
