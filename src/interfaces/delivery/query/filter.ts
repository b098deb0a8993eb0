import type { ContentType } from '#content'
import { type Filter, textOf, toSlot } from '#content-query'
import { type QueryTitle, queryFault } from '../errors.ts'
import type { Delivered } from '../target/delivered.ts'
import { findKnown, type KnownField, memberOf } from './fields.ts'
import type { FilterExpression, FilterValue } from './filter-syntax.ts'
import { findTarget } from './filter-target.ts'
import { ALWAYS, compareTo, isRange, isRanged, NEVER, type ValueFault } from './filter-values.ts'

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
    if (left.includes(NEVER)) continue
    const [first] = left
    types.set(type, first === undefined || left.length > 1 ? allOf(left) : first)
  }
  return { types, fields: asked.map(({ known }) => known) }
}

function allOf(filters: readonly Filter[]): Filter | null {
  return filters.length === 0 ? null : { kind: 'and', of: filters }
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
    throw fault(expression, expression.at, message, 'Filter option not found')
  }
  const filters =
    known.kind === 'member' && member === 'contentType'
      ? byAlias(delivered, expression)
      : byValue(delivered, expression, known)
  return { known, filters }
}

function byAlias(delivered: Delivered, expression: FilterExpression) {
  const { operator, values } = expression
  if (isRange(operator)) throw wrongOperator(expression)
  for (const value of values) refuseBlank(expression, value)
  const named = new Set(
    values.map(({ text }) => toSlot(text).look((own) => delivered.findType(own)?.no ?? null)),
  )
  const isNamed = operator === ':'
  return new Map(
    delivered.types.map((type) => [type, named.has(type.no) === isNamed ? ALWAYS : NEVER]),
  )
}

function refuseBlank(expression: FilterExpression, { text, at, isQuoted }: FilterValue): void {
  if (isQuoted || !toSlot(text).look((own) => /\s/.test(own))) return
  const blank = textOf(text).search(/\s/)
  throw fault(expression, at + blank, 'White space is not allowed in this value')
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
  if (first && !isAsked) throw fault(expression, first.at(), first.message())
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
  return only !== undefined && found.length === 1 ? only : { kind: 'or', of: found }
}

function negate(filter: Filter): Filter {
  return filter === NEVER ? ALWAYS : { kind: 'not', of: filter }
}

function wrongOperator(expression: FilterExpression) {
  const { field, operator, operatorAt } = expression
  return fault(expression, operatorAt, `'${field}' does not take '${operator}'`)
}

function fault(
  { from }: FilterExpression,
  at: number,
  message: string,
  title: QueryTitle = 'Filter not valid',
) {
  return queryFault(title, from, at, message)
}
