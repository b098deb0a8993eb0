import { fold } from '../fold.ts'
import type { CopyState, PageChoice } from './ast.ts'
import type { Step } from './names/fields.ts'
import type {
  Condition,
  ResolvedFiles,
  ResolvedInclude,
  ResolvedList,
  ResolvedQuery,
  SortColumn,
} from './resolved.ts'
import type {
  Shape,
  ShapedCondition,
  ShapedFiles,
  ShapedInclude,
  ShapedList,
  ShapedQuery,
  ShapedSearch,
  ShapedSort,
  ShapedWalk,
} from './shaped.ts'
import { Slot } from './slot.ts'
import { following } from './sql/compare.ts'
import { toWalk, type Walk } from './walk.ts'

/**
 * Takes queries apart. The key is written by the same walk that takes the values out, in one order:
 * equal keys mean the same visits and so the same slots. Types, attributes and columns stand in it by
 * identity, as numbers, so queries of an older model share nothing with those of a newer.
 */
export function createShaping() {
  const numbers = new WeakMap<object, number>()
  let last = 0
  return { shapeOf, shapeList, shapeFiles }

  function shapeOf(query: ResolvedQuery, page: PageChoice): Shape {
    return shapeBy(numberOf, (to) => takeQuery(to, query, toWalk(page)))
  }

  function shapeList(list: ResolvedList, page: ListPage): Shape<ShapedList> {
    return shapeBy(numberOf, (to) => takeList(to, list, page))
  }

  function shapeFiles(files: ResolvedFiles): Shape<ShapedFiles> {
    return shapeBy(numberOf, (to) => takeFiles(to, files))
  }

  function numberOf(object: object): number {
    const known = numbers.get(object)
    if (known !== undefined) return known
    numbers.set(object, ++last)
    return last
  }
}

/** What a list has besides its queries and its sort. */
interface ListPage {
  readonly state: CopyState
  readonly start: number
  readonly limit: number
}

interface Taking {
  numberOf(object: object): number
  /** Adds to the key what decides about the statement. */
  note(...parts: readonly (string | number | boolean | null)[]): void
  /** Takes a value out. */
  take(value: unknown): Slot
}

function shapeBy<Asked>(
  numberOf: Taking['numberOf'],
  takeApart: (to: Taking) => Asked,
): Shape<Asked> {
  const values: unknown[] = []
  let key = ''
  const to: Taking = {
    numberOf,
    note(...parts) {
      for (const part of parts) key += `${part} `
    },
    take: (value) => slotAt(values.push(value) - 1),
  }
  const query = takeApart(to)
  return { key, query, values }
}

const SLOTS: Slot[] = []

function slotAt(index: number): Slot {
  const slot = SLOTS[index] ?? new Slot((values) => values[index])
  SLOTS[index] = slot
  return slot
}

function takeList(
  to: Taking,
  { queries, sort, locale }: ResolvedList,
  { state, start, limit }: ListPage,
): ShapedList {
  to.note(state, queries.length, locale !== null, sort.length)
  const sorted = sort.map((columns) => takeColumns(to, columns))
  // A page asks for one more than its limit.
  const most = { kind: 'offset', start: 0, limit: start + limit - 1, count: false } as const
  return {
    ...{ state, sort: sorted },
    queries: queries.map((query) => takeQuery(to, query, toWalk(most))),
    locale: locale === null ? null : to.take(locale),
    start: to.take(start),
    limit: to.take(limit),
  }
}

function takeColumns(to: Taking, columns: readonly (SortColumn | null)[]) {
  to.note(columns.length)
  return columns.map((column) => {
    if (!column) to.note('-')
    return column && takeSortColumn(to, column)
  })
}

function takeQuery(to: Taking, query: ResolvedQuery, walk: Walk): ShapedQuery {
  const { type, state, sort, nulls, brief, locales, only, linkedFrom } = query
  to.note(to.numberOf(type), state, nulls, brief, locales?.length ?? null)
  to.note(only?.column ?? null, linkedFrom ? to.numberOf(linkedFrom.relation) : null)
  return {
    ...{ type, state, nulls, brief },
    sort: takeSort(to, sort),
    locales: locales?.map(to.take) ?? null,
    only: only && { column: only.column, value: to.take(only.value) },
    linkedFrom: linkedFrom
      ? {
          relation: linkedFrom.relation,
          copyNo: to.take(linkedFrom.entry.copyNo),
          documentId: to.take(linkedFrom.entry.documentId),
        }
      : null,
    condition: takeOptional(to, query.condition),
    search: takeSearch(to, query.search),
    walk: takeWalk(to, walk),
    include: takeIncludes(to, query.include),
  }
}

function takeFiles(to: Taking, files: ResolvedFiles): ShapedFiles {
  const { wanted, isPublic, nulls, search } = files
  to.note(wanted, isPublic, nulls, search !== '')
  return {
    ...{ wanted, isPublic, nulls },
    condition: takeOptional(to, files.condition),
    search: search === '' ? null : to.take(fold(search)),
    sort: takeSort(to, files.sort),
    start: to.take(files.start),
    limit: to.take(files.limit),
  }
}

const DIGITS = /^[-\d.]+$/

function takeSearch(to: Taking, search: string): ShapedSearch | null {
  if (search === '') {
    to.note('-')
    return null
  }
  const text = fold(search)
  const isDigits = DIGITS.test(text)
  const isNumber = isDigits && !Number.isNaN(Number(text))
  to.note('search', isDigits, isNumber)
  return { text: to.take(text), isDigits, isNumber }
}

function takeWalk(to: Taking, { start, limit, backwards, count, after, until }: Walk): ShapedWalk {
  to.note(start > 0, backwards, count)
  return {
    after: takePosition(to, after),
    until: takePosition(to, until),
    start: start > 0 ? to.take(start) : null,
    limit: to.take(limit),
    backwards,
    count,
  }
}

/** Missing values sort apart from others, so which are missing belongs to the shape. */
function takePosition(to: Taking, position: Walk['after']) {
  to.note(position?.map((value) => (value === null ? '-' : 'v')).join('') ?? null)
  return position?.map((value) => (value === null ? null : to.take(value))) ?? null
}

function takeOptional(to: Taking, condition: Condition | null): ShapedCondition | null {
  if (condition) return takeCondition(to, condition)
  to.note('-')
  return null
}

function takeCondition(to: Taking, condition: Condition): ShapedCondition {
  const { kind } = condition
  switch (kind) {
    case 'and':
    case 'or':
      // A group of one is that one, whatever dialect has written it.
      if (condition.of.length === 1 && condition.of[0]) return takeCondition(to, condition.of[0])
      to.note(kind, condition.of.length)
      return { kind, of: condition.of.map((each) => takeCondition(to, each)) }
    case 'not':
      to.note(kind)
      return { kind, of: takeCondition(to, condition.of) }
    case 'compare':
      return takeComparison(to, condition)
    case 'missing':
      to.note(kind, to.numberOf(condition.column))
      return condition
    case 'rare':
      to.note(kind, to.numberOf(condition.rare))
      return condition
    case 'tagged':
      to.note(kind, to.numberOf(condition.attribute), condition.fold)
      return { ...condition, values: [to.take(condition.values)] }
    case 'some':
      to.note(kind)
      noteStep(to, condition.step)
      return { kind, step: condition.step, of: takeOptional(to, condition.of) }
    case 'placed':
      return takePlaced(to, condition)
  }
}

function takePlaced(
  to: Taking,
  { kind, axis, of }: Extract<Condition, { kind: 'placed' }>,
): ShapedCondition {
  to.note(kind, axis, 'collection' in of ? of.collection.no : 'document')
  return { kind, axis, of: 'collection' in of ? of : { documentId: to.take(of.documentId) } }
}

type Comparison = Extract<Condition, { kind: 'compare' }>

function takeComparison(to: Taking, asked: Comparison): ShapedCondition {
  const { kind, column, fold: isFold, values } = asked
  const operator = operatorOf(asked)
  if (operator === 'present') {
    return takeCondition(to, { kind: 'not', of: { kind: 'missing', column } })
  }
  to.note(kind, to.numberOf(column), operator, isFold)
  const slots = operator === 'in' ? [to.take(values)] : values.map(to.take)
  return { kind, column, operator, fold: isFold, values: slots }
}

/** Where the value itself decides what is compared, that is decided here. */
function operatorOf({ operator, column, fold: isFold, values }: Comparison) {
  if (operator !== 'startsWith' && operator !== 'endsWith') return operator
  const text = String(values[0] ?? '')
  if (text === '') return 'present'
  const isEndless =
    operator === 'startsWith' && following(isFold && column.fold ? fold(text) : text) === undefined
  return isEndless ? 'gte' : operator
}

function takeIncludes(to: Taking, includes: readonly ResolvedInclude[]): readonly ShapedInclude[] {
  to.note(includes.length)
  return includes.map((include) => takeInclude(to, include))
}

function takeInclude(to: Taking, include: ResolvedInclude): ShapedInclude {
  const { name, step, many, nulls, depth, state, start } = include
  to.note(JSON.stringify(name), many, nulls, depth, state, start > 0)
  if (step.kind === 'localizations') to.note(step.kind, to.numberOf(step.type))
  else noteStep(to, step)
  return {
    ...{ name, step, many, nulls, depth, state },
    sort: takeSort(to, include.sort),
    isFromStart: start === 0,
    start: to.take(start),
    until: to.take(start + include.limit),
    condition: takeOptional(to, include.condition),
    include: takeIncludes(to, include.include),
  }
}

function takeSort(to: Taking, sort: readonly SortColumn[]): readonly ShapedSort[] {
  to.note(sort.length)
  return sort.map((each) => takeSortColumn(to, each))
}

function takeSortColumn(to: Taking, sorted: SortColumn): ShapedSort {
  const { steps, column, order, ranks } = sorted
  to.note(to.numberOf(column), order, steps.length)
  for (const step of steps) noteStep(to, step)
  if (ranks === undefined) return { steps, column, order }
  to.note(ranks === 'present' ? ranks : 'ranked')
  return { ...sorted, ranks: ranks === 'present' ? ranks : to.take(ranks) }
}

function noteStep(to: Taking, step: Step): void {
  to.note(step.kind, to.numberOf(step.attribute))
  if (step.kind === 'relation') to.note(to.numberOf(step.target))
  if (step.kind === 'component') to.note(to.numberOf(step.component))
}
