import { ALWAYS, allOf, NEVER } from '#content-dialect'
import type { ContentType } from '#content-model'
import { type Filter, toSlot } from '#content-query'
import type { Delivered } from '../target.ts'
import { type FilterExpression, filterFault } from './filter-syntax.ts'
import {
  blankIn,
  compareTo,
  hasBlank,
  isRange,
  isRanged,
  type ValueFault,
} from './filter-values.ts'
import { findKnown, findTarget, type KnownField, memberOf } from './known-fields.ts'

/** What is asked of the items of each type; types that are absent have none that match. */
export interface ParsedFilter {
  readonly types: ReadonlyMap<ContentType, Filter | null>
  /** Everything that was named, for whoever must know whether it can be answered yet. */
  readonly fields: readonly KnownField[]
}

/** Contract §6.2. */
export function parseFilter(
  delivered: Delivered,
  expressions: readonly FilterExpression[],
): ParsedFilter {
  const asked = expressions.map((expression) => read(delivered, expression))
  const types = new Map<ContentType, Filter | null>()
  for (const type of delivered.types) {
    const all = asked.map(({ filters }) => filters.get(type) ?? NEVER)
    const left = all.filter((filter) => filter !== ALWAYS)
    if (!left.includes(NEVER)) types.set(type, allOf(left))
  }
  return { types, fields: asked.map(({ known }) => known) }
}

interface Asked {
  readonly known: KnownField
  readonly filters: ReadonlyMap<ContentType, Filter>
}

function read(delivered: Delivered, expression: FilterExpression): Asked {
  const known = findKnown(delivered, expression.field)
  const member = known && memberOf(known)
  if (!known || (known.kind === 'member' && (member === 'level' || member === 'sortOrder'))) {
    const message = `There is no filter field named '${expression.field}'.`
    throw filterFault(expression, expression.at, message, 'Filter option not found')
  }
  const filters =
    known.kind === 'member' && member === 'contentType'
      ? byAlias(delivered, expression)
      : byValue(delivered, expression, known)
  return { known, filters }
}

function byAlias(delivered: Delivered, expression: FilterExpression) {
  const { field, operator, operatorAt, values } = expression
  if (isRange(operator)) {
    throw filterFault(expression, operatorAt, `'${field}' does not take '${operator}'`)
  }
  const blank = values.find(hasBlank)
  if (blank)
    throw filterFault(expression, blankIn(blank), 'White space is not allowed in this value')
  const named = new Set(
    values.map(({ text }) => toSlot(text).look((own) => delivered.findType(own)?.no ?? null)),
  )
  const isNamed = operator === ':'
  return new Map(
    delivered.types.map((type) => [type, named.has(type.no) === isNamed ? ALWAYS : NEVER]),
  )
}

/** Types that cannot be asked this do not match, as long as one of them can. */
function byValue(delivered: Delivered, expression: FilterExpression, known: KnownField) {
  const isNegated = expression.operator === ':!'
  const filters = new Map<ContentType, Filter>()
  let first: ValueFault | undefined
  let isAsked = false
  for (const type of delivered.types) {
    const found = askType(delivered, expression, known, type)
    const isFault = found !== undefined && 'message' in found
    if (isFault) first ??= found
    else if (found) isAsked = true
    const positive = found === undefined || isFault ? NEVER : found
    filters.set(type, isNegated ? negate(positive) : positive)
  }
  if (first && !isAsked) throw filterFault(expression, first.at(), first.message())
  return filters
}

/** Undefined when items of this type have no such field. */
function askType(
  delivered: Delivered,
  expression: FilterExpression,
  known: KnownField,
  type: ContentType,
): Filter | ValueFault | undefined {
  const { operator, operatorAt, values, field } = expression
  const target = findTarget(delivered, type, known)
  if (target === 'absent') return undefined
  const isTaken = target !== 'closed' && (isRanged(target) || !isRange(operator))
  if (!isTaken) {
    return { at: () => operatorAt, message: () => `'${field}' does not take '${operator}'` }
  }
  const found: Filter[] = []
  for (const value of values) {
    const filter = compareTo(target, operator, value)
    if ('message' in filter) return filter
    found.push(filter)
  }
  const [only] = found
  const any: Filter = only !== undefined && found.length === 1 ? only : { kind: 'or', of: found }
  return target.through === undefined ? any : { kind: 'some', field: target.through, of: any }
}

function negate(filter: Filter): Filter {
  return filter === NEVER ? ALWAYS : { kind: 'not', of: filter }
}
