import { compare, isMet, NEVER } from '#content-dialect'
import type { MediaFolder } from '#content-media'
import { type Filter, type Slot, type SortKey, toSlot, type Values } from '#content-query'
import { type FilterExpression, type FilterValue, filterFault } from './filter-syntax.ts'
import { compareTo, isRange } from './filter-values.ts'
import type { Target } from './known-fields.ts'
import type { Parameter } from './parameters.ts'
import { parseSortTexts, sortFault } from './sort.ts'

/** What is asked of files, and the same of folders. */
export interface MediaFilter {
  readonly filter: Filter | null
  admits(folder: MediaFolder, values: Values): boolean
}

/** Folders have this in place of a media type, which no file has. */
const FOLDER_MIME = 'folder/'
const FOLDED = { fold: true }
const KINDS = ['image', 'video', 'audio', 'folder']

const MOMENTS: ReadonlyMap<string, Target> = new Map([
  ['createdate', { as: 'moment', field: 'createdAt' }],
  ['updatedate', { as: 'moment', field: 'updatedAt' }],
])

/** Contract §7: the grammar of `/content`, the fields of media. */
export function parseMediaFilter(expressions: readonly FilterExpression[]): MediaFilter {
  const all = expressions.map(toFilter)
  const filter: Filter | null = all.length === 0 ? null : { kind: 'and', of: all }
  const admits: MediaFilter['admits'] = (folder, values) =>
    filter === null || holds(filter, folder, values)
  return { filter, admits }
}

function toFilter(expression: FilterExpression): Filter {
  const { operator, values, field, operatorAt } = expression
  const read = readerOf(expression)
  const isMoment = MOMENTS.has(field.toLowerCase())
  if (isRange(operator) && !isMoment) {
    throw filterFault(expression, operatorAt, `'${field}' does not take '${operator}'`)
  }
  const found: Filter = { kind: 'or', of: values.map(read) }
  return operator === ':!' ? { kind: 'not', of: found } : found
}

function readerOf(expression: FilterExpression): (value: FilterValue) => Filter {
  const name = expression.field.toLowerCase()
  const moment = MOMENTS.get(name)
  if (moment) return (value) => momentFilter(expression, moment, value)
  switch (name) {
    case 'mediatype':
      return ({ text }) => kindFilter(toSlot(text))
    case 'name':
      return ({ text }) => compare('name', 'contains', text, FOLDED)
    case 'extension':
      return ({ text }) => {
        const extension = toSlot(text).map((own) => `.${own.replace(/^\./, '')}`)
        return compare('ext', 'eq', extension, FOLDED)
      }
  }
  const message = `There is no filter field named '${expression.field}'.`
  throw filterFault(expression, expression.at, message, 'Filter option not found')
}

function momentFilter(expression: FilterExpression, target: Target, value: FilterValue): Filter {
  const found = compareTo(target, expression.operator, value)
  if ('message' in found) throw filterFault(expression, found.at(), found.message())
  return found
}

function kindFilter(text: Slot<string>): Filter {
  const kind = text.look((own) => [...KINDS, 'file'].find((each) => each === own.toLowerCase()))
  if (kind === undefined) return NEVER
  const isKind = (each: string) => compare('mime', 'startsWith', `${each}/`, FOLDED)
  if (kind !== 'file') return isKind(kind)
  const others = KINDS.map(isKind)
  return { kind: 'not', of: { kind: 'or', of: others } }
}

const SORTS: ReadonlyMap<string, string> = new Map([
  ['createdate', 'createdAt'],
  ['updatedate', 'updatedAt'],
  ['name', 'name'],
  // Media are in the order in which they came.
  ['sortorder', 'createdAt'],
])

export function parseMediaSort(parameters: readonly Parameter[]): readonly SortKey[] {
  return parseSortTexts(parameters).map(({ from, field, at, order }) => {
    const name = SORTS.get(field.toLowerCase())
    if (name === undefined) throw sortFault(from, at, `There is no sort field named '${field}'.`)
    return { path: [name], order }
  })
}

/** The filters above, of a folder, which is no row of the store. */
function holds(filter: Filter, folder: MediaFolder, values: Values): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((each) => holds(each, folder, values))
    case 'or':
      return filter.of.some((each) => holds(each, folder, values))
    case 'not':
      return !holds(filter.of, folder, values)
    case 'compare': {
      const wanted = filter.values.map((operand) => toSlot(operand).of(values))
      return isMet(FOLDER_MEMBERS[filter.field]?.(folder) ?? '', filter.operator, wanted)
    }
    default:
      return false
  }
}

const FOLDER_MEMBERS: Readonly<Record<string, (folder: MediaFolder) => string | number>> = {
  name: ({ name }) => name,
  mime: () => FOLDER_MIME,
  createdAt: ({ createdAtMs }) => createdAtMs,
  updatedAt: ({ updatedAtMs }) => updatedAtMs,
}
