import type { Content, EntryPage, Viewer } from '#content'
import {
  type ContentQuery,
  type Filter,
  type ListQuery,
  type OffsetPage,
  type Operand,
  type PageChoice,
  type Scalar,
  Slot,
  type Slots,
} from '#content-query'

/** What a value becomes: its place in a template, or the slot of it. */
interface Taking {
  value(value: Scalar): Operand<Scalar>
  whole(value: number): Operand<number>
  text(value: string): Operand<string>
}

type Values = (string | number)[]

/** Asks as dialects do: texts and numbers are values, and all that differ in these have one template. */
export function find(content: Content, viewer: Viewer, query: ContentQuery): Promise<EntryPage> {
  const prepare = templatesOf(content).entries
  const asked = questionOf(content, query, (take) => ({
    ...query,
    ...common(query, take),
    page: takePage(query.page, take),
  }))
  return content.readEntries(prepare(viewer, asked))
}

interface Listing extends Omit<ListQuery, 'page'> {
  readonly start: number
  readonly limit: number
}

export async function findList(
  content: Content,
  viewer: Viewer,
  { start, limit, ...rest }: Listing,
): Promise<EntryPage & { readonly total: number }> {
  const prepare = templatesOf(content).lists
  const query: ListQuery = { ...rest, page: { kind: 'offset', start, limit, count: true } }
  const asked = questionOf(content, query, (take) => ({
    ...query,
    ...common(query, take),
    page: takeOffset(query.page, take),
  }))
  const page = await content.readEntries(prepare(viewer, asked))
  return { ...page, total: page.total ?? 0 }
}

const known = new WeakMap<Content, ReturnType<typeof create>>()

function templatesOf(content: Content) {
  const found = known.get(content) ?? create(content)
  known.set(content, found)
  return found
}

function create(content: Content) {
  return {
    entries: content.entryTemplates<{ readonly query: ContentQuery }>(),
    lists: content.entryTemplates<{ readonly query: ListQuery }>(),
  }
}

function questionOf<Query>(content: Content, _: Query, fill: (take: Taking) => Query) {
  const values: Values = []
  const template = JSON.stringify(fill(collecting(values)), shown)
  const read = (slots: Slots) => ({ query: fill(reading(slots, values)) })
  return { model: content.model(), template, values, read }
}

function collecting(values: Values): Taking {
  return {
    value(value) {
      if (value === null || typeof value === 'boolean') return value
      values.push(value)
      return `a ${typeof value}`
    },
    whole(value) {
      values.push(value)
      return 0
    },
    text(value) {
      if (value !== '') values.push(value)
      return value === '' ? '' : 'a text'
    },
  }
}

function reading(slots: Slots, values: Values): Taking {
  let at = 0
  return {
    value(value) {
      if (value === null || typeof value === 'boolean') return value
      return typeof values[at] === 'number' ? slots.whole(at++) : slots.text(at++)
    },
    whole: () => slots.whole(at++),
    text: (value) => (value === '' ? '' : slots.text(at++)),
  }
}

function common({ filter, search }: Pick<ContentQuery, 'filter' | 'search'>, take: Taking) {
  return { filter: filter && takeFilter(filter, take), search: text(search, take) }
}

function takeFilter(filter: Filter, take: Taking): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, of: filter.of.map((each) => takeFilter(each, take)) }
    case 'not':
    case 'some':
      return { ...filter, of: takeFilter(filter.of, take) }
    case 'compare':
      return { ...filter, values: filter.values.map((value) => scalar(value, take)) }
    case 'missing':
      return filter
    case 'placed': {
      const { of } = filter
      if (!('documentId' in of)) return filter
      return { ...filter, of: { documentId: text(of.documentId, take) } }
    }
  }
}

function takeOffset(page: OffsetPage, take: Taking): OffsetPage {
  return { ...page, limit: whole(page.limit, take), start: whole(page.start, take) }
}

function takePage(page: PageChoice, take: Taking): PageChoice {
  if (page.kind === 'offset') return takeOffset(page, take)
  const limit = whole(page.limit, take)
  switch (page.kind) {
    case 'keyset': {
      const after = page.after === null ? null : whole(page.after, take)
      return { ...page, limit, after, before: page.before && whole(page.before, take) }
    }
    case 'cursor':
      return {
        ...page,
        limit,
        position: page.position?.map((value) => scalar(value, take)) ?? null,
      }
  }
}

function scalar(operand: Operand<Scalar>, take: Taking): Operand<Scalar> {
  return operand instanceof Slot ? operand : take.value(operand)
}

function whole(operand: Operand<number>, take: Taking): Operand<number> {
  return operand instanceof Slot ? operand : take.whole(operand)
}

function text(operand: Operand<string>, take: Taking): Operand<string> {
  return operand instanceof Slot ? operand : take.text(operand)
}

function shown(name: string, value: unknown): unknown {
  if (value instanceof Map) return [...value]
  if (typeof value === 'function') return String(value)
  return name === 'type' ? Object(value).no : value
}
