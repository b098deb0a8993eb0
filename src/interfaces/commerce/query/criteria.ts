import { refused, wrongType } from '#commerce'
import { pairsIn, readPair, wordsIn } from '#content-dialect'
import { toSnakeCase } from '../body/names.ts'
import { CONDITIONS, type Condition } from './conditions.ts'
import { decode } from './parameters.ts'

/** What `searchCriteria` asks for, whatever is listed (contract §4.2). */
export interface Criteria {
  /** Joined by AND; filters inside a group by OR. */
  readonly groups: readonly (readonly CriteriaFilter[])[]
  readonly sorts: readonly CriteriaSort[]
  readonly pageSize: number
  readonly currentPage: number
}

export interface CriteriaFilter {
  readonly field: string
  readonly condition: Condition
  /** One, or as many as the condition takes. */
  readonly values: readonly string[]
}

interface CriteriaSort {
  readonly field: string
  readonly direction: 'ASC' | 'DESC'
}

const DEFAULT_SIZE = 20
const ROOT = /^search_?criteria$/i
const STEPS = /^(\[[^[\]]*\])*$/
const MOST_FILTERS = 100
const MOST_VALUES = 1_000

const FILTER = new Set(['field', 'value', 'condition_type'])
const SORT = new Set(['field', 'direction'])

/** Members of one filter or sort order, by their names in snake_case. */
type Members = Map<string, string[]>

/** Takes the query string as it was sent; what it does not know outside of the criteria is not its matter. */
export function parseCriteria(query: string, maxPageSize: number): Criteria {
  const filters = new Map<string, Map<string, Members>>()
  const sorts = new Map<string, Members>()
  const paging: Members = new Map()
  for (const pair of pairsIn(query)) {
    const { name, value } = readPair(pair, decode)
    const path = pathOf(name)
    if (path) place(path, value)
  }
  return {
    groups: inOrder(filters).map((group) => inOrder(group).map(toFilter)),
    sorts: inOrder(sorts).map(toSort),
    pageSize: wholeOf(paging, 'page_size', maxPageSize) || DEFAULT_SIZE,
    currentPage: wholeOf(paging, 'current_page', Number.MAX_SAFE_INTEGER / maxPageSize) || 1,
  }

  function place(path: readonly string[], value: string) {
    const [kind = '', first, second = '', third, member = ''] = path
    // `searchCriteria`, `searchCriteria=all`, `searchCriteria[filterGroups]=`: nothing is asked.
    if (path.length === 0 || (first === undefined && isList(kind) && value === '')) return
    if (path.length === 1 && (kind === 'page_size' || kind === 'current_page')) {
      return void within(paging, kind, () => []).push(value)
    }
    // `[value][0]` and `[value][]` are values of a list.
    const isWhole = path.length === 5 || (path.length === 6 && member === 'value')
    if (
      kind === 'filter_groups' &&
      second === 'filters' &&
      third !== undefined &&
      FILTER.has(member) &&
      isWhole
    ) {
      const group = within(filters, first ?? '', () => new Map<string, Members>())
      return void within(within(group, third, newMembers), member, () => []).push(value)
    }
    if (kind === 'sort_orders' && first !== undefined && SORT.has(second) && path.length === 3) {
      return void within(within(sorts, first, newMembers), second, () => []).push(value)
    }
    throw unknown(`searchCriteria[${path.join('][')}]`)
  }
}

/** The same as JSON, in the order that was understood. */
export function renderCriteria({ groups, sorts, pageSize, currentPage }: Criteria): object {
  return {
    filter_groups: groups.map((filters) => ({
      filters: filters.map(({ field, condition, values }) => ({
        field,
        value: values.join(','),
        condition_type: condition,
      })),
    })),
    ...(sorts.length > 0 ? { sort_orders: sorts } : {}),
    page_size: pageSize,
    current_page: currentPage,
  }
}

/** `searchCriteria[filterGroups][0]` is `['filter_groups', '0']`; undefined when it is something else. */
function pathOf(name: string): string[] | undefined {
  const start = name.indexOf('[')
  const root = start === -1 ? name : name.slice(0, start)
  if (!ROOT.test(root)) return undefined
  if (start === -1) return []
  if (!STEPS.test(name.slice(start))) throw unknown(name)
  const steps = [...name.slice(start).matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step)
  return steps.map((step) => (step === '' ? '0' : toSnakeCase(step)))
}

function isList(kind: string): boolean {
  return kind === 'filter_groups' || kind === 'sort_orders'
}

function toFilter(members: Members): CriteriaFilter {
  const field = onlyOf(members, 'field')
  if (field === '')
    throw refused({ message: '"%fieldName" is required.', parameters: { fieldName: 'field' } })
  const given = onlyOf(members, 'condition_type').toLowerCase() || 'eq'
  const condition = CONDITIONS.get(given)
  if (!condition) {
    const message = 'There is no condition "%value"; there are %type.'
    const type = [...CONDITIONS.keys()].join(', ')
    throw refused({ message, parameters: { fieldName: 'condition_type', value: given, type } })
  }
  const texts = members.get('value') ?? []
  const isMany = condition === 'in' || condition === 'nin'
  const values = isMany ? texts.flatMap(wordsIn) : [texts.join(',')]
  if (values.length > MOST_VALUES)
    throw refused(wrongType('value', `${values.length} values`, `at most ${MOST_VALUES}`))
  return { field: field.trim(), condition, values }
}

function toSort(members: Members): CriteriaSort {
  const field = onlyOf(members, 'field').trim()
  if (field === '')
    throw refused({ message: '"%fieldName" is required.', parameters: { fieldName: 'field' } })
  const given = onlyOf(members, 'direction')
  const direction = given.toUpperCase() || 'ASC'
  if (direction !== 'ASC' && direction !== 'DESC') {
    throw refused(wrongType('direction', given, 'ASC or DESC'))
  }
  return { field, direction }
}

/** Two filters with one index would be one of parts of both. */
function onlyOf(members: Members, name: string): string {
  const [first = '', ...others] = members.get(name) ?? []
  if (others.length === 0) return first
  const message =
    '"%fieldName" must be given once; each filter and sort order needs an index of its own.'
  throw refused({ message, parameters: { fieldName: name } })
}

/** 0 when it is absent. */
function wholeOf(paging: Members, name: string, most: number): number {
  const given = onlyOf(paging, name)
  if (given === '') return 0
  const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (number <= most) return number
  throw refused(wrongType(name, given, `a whole number up to ${Math.floor(most)}`))
}

/** By their indexes, which may come in any order and with gaps. */
function inOrder<Item>(items: ReadonlyMap<string, Item>): readonly Item[] {
  if (items.size > MOST_FILTERS) {
    throw refused(wrongType('searchCriteria', `${items.size} parts`, `at most ${MOST_FILTERS}`))
  }
  const sorted = [...items].toSorted(([one], [other]) => Number(one) - Number(other))
  return sorted.map(([, item]) => item)
}

function within<Item>(items: Map<string, Item>, name: string, make: () => Item): Item {
  const item = items.get(name) ?? make()
  items.set(name, item)
  return item
}

function unknown(fieldName: string) {
  return refused({ message: 'There is no criterion "%fieldName".', parameters: { fieldName } })
}

function newMembers(): Members {
  return new Map()
}
