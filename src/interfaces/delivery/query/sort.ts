import { isCompared, wireKindOf } from '#content'
import { type Attribute, type ContentType, isScalar } from '#content-model'
import type { SortKey } from '#content-query'
import { queryFault } from '../errors.ts'
import type { Delivered } from '../target.ts'
import { attributeOf, findKnown, type KnownField, memberOf, moduleTarget } from './known-fields.ts'
import type { Parameter } from './parameters.ts'

/** A list's order; what a name of it means in each type is said apart. */
export interface ParsedSort {
  readonly keys: readonly SortKey[]
  namesIn(type: ContentType): ReadonlyMap<string, string>
  readonly fields: readonly KnownField[]
}

const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['createDate', 'createdAt'],
  ['updateDate', 'updatedAt'],
  ['level', '@level'],
  ['sortOrder', '@sortOrder'],
  ['name', '@name'],
])

/** Contract §6.3. */
export function parseSort(delivered: Delivered, parameters: readonly Parameter[]): ParsedSort {
  const sorts = parseSortTexts(parameters).map((expression) => ({
    expression,
    known: read(delivered, expression),
  }))
  return {
    keys: sorts.map(({ expression: { order }, known }, at) => ({
      path: pathOf(known, at),
      order,
    })),
    namesIn,
    fields: sorts.map(({ known }) => known),
  }

  /** A type whose attribute of that name is of another kind has no value to sort by. */
  function namesIn(type: ContentType): ReadonlyMap<string, string> {
    return new Map(
      sorts.flatMap(({ known }, at): [string, string][] => {
        const attribute = attributeOf(type, known)
        return attribute && isSortable(attribute) ? [[nameOf(known, at), attribute.name]] : []
      }),
    )
  }
}

function pathOf(known: KnownField, at: number): readonly string[] {
  if (known.kind !== 'module') return [nameOf(known, at)]
  const { through, field } = moduleTarget(known.field)
  return [through, field]
}

/** Properties get names that no attribute has, so that each type says what they are in it. */
function nameOf(known: KnownField, at: number): string {
  const member = memberOf(known)
  if (member === undefined) return `@sort${at}`
  return MEMBERS.get(member) ?? `@sort${at}`
}

function read(delivered: Delivered, { from, field, at }: SortExpression): KnownField {
  const known = findKnown(delivered, field)
  const member = known && memberOf(known)
  const isMember = member !== undefined && MEMBERS.has(member)
  if (!known || (member !== undefined && !isMember)) {
    throw sortFault(from, at, `There is no sort field named '${field}'.`)
  }
  const isAnalyzed = typeOf(known) === 'StringAnalyzed'
  const isOffered =
    isMember ||
    known.kind === 'module' ||
    delivered.types.some((type) => isSortable(attributeOf(type, known)))
  if (isAnalyzed || !isOffered) throw sortFault(from, at, `'${field}' cannot be sorted by.`)
  return known
}

/** Of a registered field. */
function typeOf(known: KnownField) {
  if (known.kind === 'module') return known.field.type
  return known.kind === 'indexed' ? known.field.FieldType : undefined
}

function isSortable(attribute: Attribute | undefined): boolean {
  if (!attribute || !isScalar(attribute)) return false
  return isCompared(attribute) && wireKindOf(attribute) !== 'markup'
}

interface SortExpression {
  readonly from: Parameter
  readonly field: string
  readonly at: number
  readonly order: 'asc' | 'desc'
}

const EXPRESSION = /^([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*):(asc|des)[a-z]*$/i
const MAX_SORTS = 20

/** Contract §6.3: `createDate:desc,name:asc`, also repeated; the first is the primary key. */
export function parseSortTexts(parameters: readonly Parameter[]): readonly SortExpression[] {
  const all = parameters.flatMap(parseSortText)
  const first = all[MAX_SORTS]
  if (first) throw sortFault(first.from, first.at, `At most ${MAX_SORTS} sorts are taken`)
  return all
}

function parseSortText(from: Parameter): readonly SortExpression[] {
  let at = 0
  return from.value.split(',').map((text) => {
    const start = at
    at += text.length + 1
    return parseExpression(from, text, start)
  })
}

function parseExpression(from: Parameter, text: string, at: number): SortExpression {
  const [, field = '', direction = ''] = EXPRESSION.exec(text) ?? []
  if (field !== '') {
    return { from, field, at, order: direction.toLowerCase() === 'asc' ? 'asc' : 'desc' }
  }
  const blank = text.search(/\s/)
  if (blank !== -1) throw sortFault(from, at + blank, 'White space is not allowed here')
  // A stray comma has no text: behind the last one it is the comma itself that is pointed at.
  const isEnd = text === '' && at === from.value.length && at > 0
  if (text === '') throw sortFault(from, isEnd ? at - 1 : at, 'This comma sorts by nothing')
  throw sortFault(from, at, `'${text}' is not a field with asc or desc, such as createDate:desc`)
}

export function sortFault(from: Parameter, at: number, message: string) {
  return queryFault('Sort option not found', from, at, message)
}
