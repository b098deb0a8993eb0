import {
  type CopyState,
  type Filter,
  type LocaleChoice,
  type Operand,
  type Scalar,
  Slot,
  type SortKey,
} from '#content-query'
import { DEFAULT_LOCALE } from './definitions.ts'
import type { Copy, Document, TypeName, Values } from './documents.ts'

// What the answers must be, worked out in plain JavaScript over lists: nothing here knows SQL or
// shares code with the store.

interface Row {
  readonly type: TypeName
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly live: boolean
  readonly work: boolean
  readonly publishedAt: number | null
  readonly copy: Copy
}

/** A row, or a component inside one. */
type Thing = { readonly row: Row; readonly part: Values | null }
type Comparable = string | number | bigint

export interface Question {
  readonly type: TypeName
  readonly state: CopyState
  readonly locale: LocaleChoice
  readonly filter: Filter | null
  readonly search: string
  readonly sort: readonly SortKey[]
}

export interface ListQuestion extends Omit<Question, 'type'> {
  readonly types: readonly TypeName[]
}

export const PUBLISHED_AT = 1000

/** `ambient`: the language in which entries without one show others. */
export function createOracle(documents: readonly Document[], ambient: string = DEFAULT_LOCALE) {
  const rows = toRows(documents)
  return { ids, listed, relatedIds, partsOf, zoneOf }

  /** Of a list over several types, in order: `story 3`. */
  function listed({ types, state, locale, filter, search, sort }: ListQuestion): string[] {
    const visible = rows.filter((row) => types.includes(row.type) && isVisible(row, state))
    return visible
      .filter((row) => isChosen(row, locale, visible))
      .map((row) => ({ row, part: null }))
      .filter((thing) => filter === null || matches(thing, filter, state))
      .filter((thing) => search === '' || isFound(thing, search))
      .sort((a, b) => compareBy(sort, state, a, b) || compareTies(a.row, b.row))
      .map(({ row }) => `${row.type} ${row.id}`)
  }

  /** Of what an entry refers to, in the order of its links. */
  function relatedIds(type: TypeName, id: number, state: CopyState, field: string): number[] {
    const row = rowOf(type, id, state)
    if (field !== 'localizations') {
      return related({ row, part: null }, field, state).map((each) => each.row.id)
    }
    return rows
      .filter((other) => other.documentId === row.documentId && isVisible(other, state))
      .filter((other) => other.locale !== row.locale)
      .map((other) => other.id)
  }

  function partsOf(id: number, state: CopyState, field: 'seo' | 'blocks'): readonly Values[] {
    const { copy } = rowOf('story', id, state)
    return field === 'blocks' ? copy.blocks : copy.seo ? [copy.seo] : []
  }

  function zoneOf(id: number, state: CopyState): Copy['mixed'] {
    return rowOf('story', id, state).copy.mixed
  }

  function rowOf(type: TypeName, id: number, state: CopyState): Row {
    const found = rows.find((row) => row.type === type && row.id === id && isVisible(row, state))
    if (!found) throw new Error(`no visible ${type} ${id}`)
    return found
  }

  /** Of the whole list, in order. */
  function ids({ type, state, locale, filter, search, sort }: Question): number[] {
    const visible = rows.filter((row) => row.type === type && isVisible(row, state))
    return visible
      .filter((row) => isChosen(row, locale, visible))
      .map((row) => ({ row, part: null }))
      .filter((thing) => filter === null || matches(thing, filter, state))
      .filter((thing) => search === '' || isFound(thing, search))
      .sort((a, b) => compareBy(sort, state, a, b) || a.row.id - b.row.id)
      .map(({ row }) => row.id)
  }

  function matches(thing: Thing, filter: Filter, state: CopyState): boolean {
    switch (filter.kind) {
      case 'and':
        return filter.of.every((each) => matches(thing, each, state))
      case 'or':
        return filter.of.some((each) => matches(thing, each, state))
      case 'not':
        return !matches(thing, filter.of, state)
      case 'missing':
        return isStep(filter.field)
          ? related(thing, filter.field, state).length === 0
          : fieldOf(thing, filter.field) === null
      case 'some':
        return related(thing, filter.field, state).some((each) => matches(each, filter.of, state))
      case 'compare':
        return compares(thing, filter, state)
      case 'placed':
        throw new Error('documents of this suite form no tree')
    }
  }

  function compares(
    thing: Thing,
    filter: Extract<Filter, { kind: 'compare' }>,
    state: CopyState,
  ): boolean {
    const { field, operator } = filter
    const values = filter.values.map(given)
    if (operator === 'ne') return !compares(thing, { ...filter, operator: 'eq' }, state)
    if (operator === 'notIn') return !compares(thing, { ...filter, operator: 'in' }, state)
    if (operator === 'notContains') {
      return !compares(thing, { ...filter, operator: 'contains' }, state)
    }
    if (field === 'mix' && !values.every((value) => canTake(thing.row.type, value))) return false
    if (isStep(field)) {
      const found = related(thing, field, state)
      return values.some((value) =>
        value === null ? found.length === 0 : found.some(({ row }) => row.id === value),
      )
    }
    if (field === 'words') return hasWord(thing, { ...filter, values })
    const own = fieldOf(thing, field)
    if (own === null) return ['eq', 'in'].includes(operator) && values.includes(null)
    const isText = field === 'mix' && thing.row.type === 'writer'
    const wanted = values
      .filter((value) => value !== null)
      .map((value) => (isText ? String(value) : normal(field, value)))
    const by = filter.fold ? folded : (value: Comparable) => value
    return holds(operator, by(own), wanted.map(by))
  }

  function related({ row, part }: Thing, field: string, state: CopyState): Thing[] {
    if (part !== null) return []
    const { copy } = row
    if (field === 'seo') return copy.seo ? [{ row, part: copy.seo }] : []
    if (field === 'blocks') return copy.blocks.map((block) => ({ row, part: block }))
    if (field === 'writer') return targets(row, 'writer', copy.writer ? [copy.writer] : [], state)
    if (field === 'broader') return targets(row, 'topic', copy.broader ? [copy.broader] : [], state)
    if (field === 'topics') return targets(row, 'topic', copy.topics, state)
    const linking = rows.filter(
      (other) =>
        other.type === 'story' &&
        isVisible(other, state) &&
        (row.type === 'writer'
          ? other.copy.writer === row.documentId
          : other.copy.topics.includes(row.documentId)),
    )
    return [...new Set(linking.map((other) => other.documentId))].flatMap((documentId) =>
      shownVariant(
        languageOf(row),
        linking.filter((other) => other.documentId === documentId),
      ),
    )
  }

  function targets(row: Row, type: TypeName, documentIds: readonly string[], state: CopyState) {
    return documentIds.flatMap((documentId) =>
      shownVariant(
        languageOf(row),
        rows.filter(
          (other) =>
            other.type === type && other.documentId === documentId && isVisible(other, state),
        ),
      ),
    )
  }

  function languageOf({ locale }: Row): string {
    return locale === '' ? ambient : locale
  }

  function compareBy(sort: readonly SortKey[], state: CopyState, a: Thing, b: Thing): number {
    for (const { path, order } of sort) {
      const difference = compareNullable(
        sortValue(a, path, order, state),
        sortValue(b, path, order, state),
      )
      if (difference !== 0) return order === 'asc' ? difference : -difference
    }
    return 0
  }

  /** Through to-many relations the smallest value ascending, the largest descending. */
  function sortValue(thing: Thing, path: readonly string[], order: string, state: CopyState) {
    const [field = '', ...rest] = path
    if (rest.length === 0) return fieldOf(thing, field)
    const values: Comparable[] = related(thing, field, state).flatMap(
      (each) => sortValue(each, rest, order, state) ?? [],
    )
    values.sort(compareSorted)
    return (order === 'asc' ? values[0] : values.at(-1)) ?? null
  }
}

function toRows(documents: readonly Document[]): Row[] {
  const lastIds: Record<TypeName, number> = { writer: 0, topic: 0, story: 0 }
  return documents.flatMap(({ type, documentId, variants }) =>
    variants.flatMap(({ locale, live, work }): Row[] => {
      const id = ++lastIds[type]
      const publishedAt = type === 'story' && live ? PUBLISHED_AT + id : null
      const row = { type, id, documentId, locale, publishedAt }
      if (live === work) return [{ ...row, live: true, work: true, copy: work }]
      const draft = { ...row, live: false, work: true, copy: work }
      return live ? [{ ...row, live: true, work: false, copy: live }, draft] : [draft]
    }),
  )
}

function isVisible(row: Row, state: CopyState): boolean {
  return state === 'live' ? row.live : row.work
}

function isChosen(row: Row, choice: LocaleChoice, visible: readonly Row[]): boolean {
  if (row.locale === '' || choice.kind === 'all') return true
  const codes = choice.kind === 'default' ? [DEFAULT_LOCALE] : [choice.code, ...choice.fallback]
  const best = codes.find((code) =>
    visible.some((other) => other.documentId === row.documentId && other.locale === code),
  )
  return row.locale === best
}

/** The parent's language, else the default one, else the oldest. */
function shownVariant(wanted: string, candidates: readonly Row[]): Thing[] {
  const oldest = candidates.toSorted((a, b) => a.id - b.id)
  const shown =
    oldest.find((row) => row.locale === wanted) ??
    oldest.find((row) => row.locale === DEFAULT_LOCALE) ??
    oldest[0]
  return shown ? [{ row: shown, part: null }] : []
}

/** As they were created, which rows of one id were at the same time. */
function compareTies(a: Row, b: Row): number {
  return a.id - b.id || compareRaw(a.documentId, b.documentId)
}

function isStep(field: string): boolean {
  return ['writer', 'broader', 'topics', 'stories', 'seo', 'blocks'].includes(field)
}

function fieldOf({ row, part }: Thing, field: string): Comparable | null {
  if (part === null) {
    if (field === 'id') return row.id
    if (field === 'locale') return row.locale === '' ? null : row.locale
    if (field === 'publishedAt') return row.publishedAt
    if (field === 'createdAt') return row.id
    if (field === '@name') return fieldOf({ row, part }, row.type === 'story' ? 'title' : 'name')
  }
  const value = (part ?? row.copy.values)[field] ?? null
  return value === null ? null : normal(field, value)
}

function normal(field: string, value: unknown): Comparable {
  if (field === 'big') return BigInt(String(value))
  if (field === 'moment') return typeof value === 'number' ? value : Date.parse(String(value))
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}

function hasWord(thing: Thing, { values, fold }: { values: readonly Scalar[]; fold: boolean }) {
  const words = (thing.part ?? thing.row.copy.values)['words'] ?? null
  if (words === null) return values.includes(null)
  if (!Array.isArray(words)) return false
  const by = fold ? folded : String
  return values.some(
    (value) => value !== null && words.some((word) => by(word) === by(String(value))),
  )
}

/** Whether an attribute of this name can be compared with the value, in this type. */
function canTake(type: TypeName, value: Scalar): boolean {
  if (type === 'writer') return true
  return typeof value === 'number' && (type === 'topic' || Number.isInteger(value))
}

function holds(operator: string, own: Comparable, given: readonly Comparable[]): boolean {
  const [first, second = ''] = given
  if (first === undefined) return false
  switch (operator) {
    case 'eq':
      return compareRaw(own, first) === 0
    case 'in':
      return given.some((value) => compareRaw(own, value) === 0)
    case 'lt':
      return compareSorted(own, first) < 0
    case 'lte':
      return compareSorted(own, first) <= 0
    case 'gt':
      return compareSorted(own, first) > 0
    case 'gte':
      return compareSorted(own, first) >= 0
    case 'between':
      return compareSorted(own, first) >= 0 && compareSorted(own, second) <= 0
    case 'day':
      return Number(own) >= Number(first) && Number(own) < Number(first) + 86_400_000
    case 'contains':
      return String(own).includes(String(first))
    case 'startsWith':
      return String(own).startsWith(String(first))
    case 'endsWith':
      return String(own).endsWith(String(first))
    default:
      throw new Error(`unknown operator ${operator}`)
  }
}

/** By code points, which is not how JavaScript compares beyond the basic plane. */
function compareRaw(a: Comparable, b: Comparable): number {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  return a < b ? -1 : a > b ? 1 : 0
}

const NOT_FOLDED = /^(\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2}\.\d{3})$/

/** Of different kinds: numbers before texts. */
function compareSorted(a: Comparable, b: Comparable): number {
  if ((typeof a === 'string') !== (typeof b === 'string')) return typeof a === 'string' ? 1 : -1
  if (typeof a !== 'string' || NOT_FOLDED.test(a)) return compareRaw(a, b)
  return compareRaw(folded(a), folded(b)) || compareRaw(a, b)
}

function compareNullable(a: Comparable | null, b: Comparable | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1)
  return compareSorted(a, b)
}

function folded<T>(value: T): T | string {
  if (typeof value !== 'string') return value
  return value.normalize('NFC').toLowerCase().replaceAll('\u03c2', '\u03c3')
}

const SEARCHED: Readonly<Record<TypeName, readonly string[]>> = {
  writer: ['name', 'age'],
  topic: ['name', 'rank'],
  story: ['title', 'body', 'markup', 'mail', 'slug', 'mood', 'whole', 'big', 'ratio', 'price'],
}

/** Of components only the texts in zones are searched. */
function isFound({ row }: Thing, search: string): boolean {
  const part = String(folded(search))
  const texts = [...SEARCHED[row.type], 'words'].flatMap((field) => {
    const value = row.copy.values[field] ?? null
    if (field === 'ratio')
      return value !== null && Number(part) === value && part.trim() !== '' ? [part] : []
    return Array.isArray(value) ? value : value === null ? [] : [value]
  })
  const inZone = row.copy.mixed.map(({ values }) => values['heading'] ?? '')
  return [row.id, ...texts, ...inZone].some((text) => String(folded(String(text))).includes(part))
}

/** Questions of this suite have no slots. */
function given(value: Operand<Scalar>): Scalar {
  if (value instanceof Slot) throw new Error('the oracle knows no slots')
  return value
}
