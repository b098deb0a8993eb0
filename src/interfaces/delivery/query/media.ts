import type { MediaFolder } from '#content-media'
import {
  type Filter,
  type Operand,
  type Slot,
  type SortKey,
  toSlot,
  type Values,
} from '#content-query'
import { queryFault } from '../errors.ts'
import type { FilterExpression, FilterValue } from './filter-syntax.ts'
import type { Target } from './filter-target.ts'
import { compareTo, isRange, NEVER } from './filter-values.ts'
import type { Parameter } from './parameters.ts'
import { parseSortTexts, sortFault } from './sort-syntax.ts'

/** What is asked of files, and the same of folders. */
export interface MediaFilter {
  readonly filter: Filter | null
  admits(folder: MediaFolder, values: Values): boolean
}

/** Folders have this in place of a media type, which no file has. */
const FOLDER_MIME = 'folder/'
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
    filter === null || holds(filter, recordOf(folder), values)
  return { filter, admits }
}

function toFilter(expression: FilterExpression): Filter {
  const { operator, values, field, operatorAt } = expression
  const read = readerOf(expression)
  const isMoment = MOMENTS.has(field.toLowerCase())
  if (isRange(operator) && !isMoment) {
    throw fault(expression, operatorAt, `'${field}' does not take '${operator}'`)
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
      return ({ text }) => compare('name', 'contains', text)
    case 'extension':
      return ({ text }) =>
        compare(
          'ext',
          'eq',
          toSlot(text).map((own) => `.${own.replace(/^\./, '')}`),
        )
  }
  const { from, at, field } = expression
  throw queryFault(
    'Filter option not found',
    from,
    at,
    `There is no filter field named '${field}'.`,
  )
}

function momentFilter(expression: FilterExpression, target: Target, value: FilterValue): Filter {
  const found = compareTo(target, expression.operator, value)
  if ('message' in found) throw fault(expression, found.at(), found.message())
  return found
}

function kindFilter(text: Slot<string>): Filter {
  const kind = text.look((own) => [...KINDS, 'file'].find((each) => each === own.toLowerCase()))
  if (kind === undefined) return NEVER
  if (kind !== 'file') return compare('mime', 'startsWith', `${kind}/`)
  const others = KINDS.map((each) => compare('mime', 'startsWith', `${each}/`))
  return { kind: 'not', of: { kind: 'or', of: others } }
}

function compare(
  field: string,
  operator: 'contains' | 'eq' | 'startsWith',
  text: Operand<string>,
): Filter {
  return { kind: 'compare', field, operator, fold: true, values: [text] }
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

type FolderRecord = ReadonlyMap<string, string | number>

function recordOf({ name, createdAtMs, updatedAtMs }: MediaFolder): FolderRecord {
  return new Map<string, string | number>([
    ['name', fold(name)],
    ['mime', FOLDER_MIME],
    ['ext', ''],
    ['createdAt', createdAtMs],
    ['updatedAt', updatedAtMs],
  ])
}

/** The filters above, of a folder, which is no row of the store. */
function holds(filter: Filter, folder: FolderRecord, values: Values): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((each) => holds(each, folder, values))
    case 'or':
      return filter.of.some((each) => holds(each, folder, values))
    case 'not':
      return !holds(filter.of, folder, values)
    case 'compare':
      return isMet(filter, folder.get(filter.field) ?? '', values)
    default:
      return false
  }
}

function isMet(
  { operator, values: [operand = ''] }: Extract<Filter, { kind: 'compare' }>,
  own: string | number,
  values: Values,
): boolean {
  const value = toSlot(operand).of(values)
  if (typeof own === 'string') {
    const wanted = fold(String(value))
    if (operator === 'contains') return own.includes(wanted)
    return operator === 'startsWith' ? own.startsWith(wanted) : own === wanted
  }
  const wanted = Number(value)
  switch (operator) {
    case 'gt':
      return own > wanted
    case 'gte':
      return own >= wanted
    case 'lt':
      return own < wanted
    case 'lte':
      return own <= wanted
    default:
      return own === wanted
  }
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function fault({ from }: FilterExpression, at: number, message: string) {
  return queryFault('Filter not valid', from, at, message)
}
