import type { Content, Entry, EntryPage, MediaFile } from '#content'
import { compare, targetIn } from '#content-dialect'
import type { ContentType } from '#content-model'
import {
  type ContentQuery,
  type FilesQuery,
  firstPage,
  oneOf,
  Slot,
  typesOf,
  type Values,
} from '#content-query'
import type { Arguments } from '../query/arguments.ts'
import { toFilter } from '../query/filter.ts'
import { type Compiling, type Includes, localeIn, rootState } from '../query/level.ts'
import { type Paging, pagingOf, toPage } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import { parseSort, sortText } from '../query/sort.ts'
import { compileResponse, itemWriter } from '../render/entries.ts'
import { compilePage, isCounted, type Page } from '../render/pages.ts'
import type { Write } from '../render/writing.ts'
import { plainId } from '../target.ts'

/** What the shapes of this dialect show of entries. */
const BRIEF = 'brief' as const

/** What is made of a template: the question, and how its answer is written. */
export interface ReadEntries {
  readonly query: ContentQuery
  readonly write: Write<EntryPage>
  /** The types its answer is made from. */
  readonly typeNos: readonly number[]
}

export interface ReadFiles {
  readonly query: FilesQuery
  readonly write: Write<FilePage>
}

type Item = Entry | MediaFile
type FilePage = Awaited<ReturnType<Content['readFiles']>>

export function toList(to: Compiling, root: Picked, type: ContentType): ReadEntries {
  const given = to.argumentsOf(root)
  const sort = parseSort(given['sort'])
  const tag = `${type.no} ${sortText(sort)}`
  const paging = pagingOf(to.form, given, tag)
  const include: Includes = []
  const write = compilePage(root.of(), itemWriter(to, type, include), tag)
  const query: ContentQuery = {
    ...{ type, sort, include, search: '', detail: BRIEF },
    ...rootState(to, type, given),
    locale: localeIn(to.model, type, given),
    filter: filterIn(to, type, given),
    page: toPage(paging, isCounted(root.of())),
  }
  return {
    ...{ query, typeNos: typesOf(to.model, query) },
    write: (page, writing) => write(pageOf(page, paging, writing.values), writing),
  }
}

function filterIn(to: Compiling, thing: ContentType | 'files', { filters, filter }: Arguments) {
  return toFilter(to, thing, filters ?? filter, to.form === 'cms' ? 'filters' : 'filter')
}

/** A page of the store as lists show it; with `first` and `last` the last of the first. */
function pageOf(page: EntryPage, paging: Paging, values: Values): Page<Item> {
  const { entries, total, hasMore, hasPrevious } = page
  if (paging.kind === 'numbered') {
    const { start, limit } = paging.page.of(values)
    return { items: entries, total, start, limit, hasMore, hasPrevious, positionAt: () => [] }
  }
  const { first, last } = paging.between
  const most = first !== null && last !== null ? numberIn(last, values) : entries.length
  const items = entries.slice(Math.max(0, entries.length - most))
  const positionAt = (index: number) => {
    const item = items[index]
    return item ? page.positionOf(item) : []
  }
  const numbers = { start: 0, limit: items.length }
  const isCut = items.length < entries.length
  return { items, total, ...numbers, hasMore, hasPrevious: hasPrevious || isCut, positionAt }
}

function numberIn(operand: number | Slot<number>, values: Values): number {
  return operand instanceof Slot ? operand.of(values) : operand
}

function writeOne(
  to: Compiling,
  picked: readonly Picked[],
  type: ContentType,
  include: Includes,
): Write<EntryPage> {
  const write = compileResponse<Item>(to, picked, itemWriter(to, type, include))
  return ({ entries }, writing) => write(entries[0] ?? null, writing)
}

export function toOne(
  to: Compiling,
  root: Picked,
  picked: readonly Picked[],
  type: ContentType,
): ReadEntries {
  const given = to.argumentsOf(root)
  const include: Includes = []
  const write = writeOne(to, picked, type, include)
  const locale = localeIn(to.model, type, given)
  const { id } = given
  const plain = id instanceof Slot ? id.map((text) => plainId(String(text), type) ?? '') : null
  const target = plain && targetIn(plain, locale)
  const isNumber = !target || 'id' in target
  const query = {
    ...{ type, include, detail: BRIEF },
    state: rootState(to, type, given).state,
    locale: isNumber ? { kind: 'all' as const } : inOne(locale),
    // A number names one variant; asked for in another language it is not there.
    filter: isNumber && locale.kind === 'one' ? compare('locale', 'eq', locale.code) : null,
  }
  const typeNos = typesOf(to.model, query)
  return { query: oneOf(query, target ?? { id: 0 }), write, typeNos }
}

function inOne(locale: ContentQuery['locale']): ContentQuery['locale'] {
  return locale.kind === 'all' ? { kind: 'default' } : locale
}

export function toSingle(to: Compiling, root: Picked, type: ContentType): ReadEntries {
  const given = to.argumentsOf(root)
  const include: Includes = []
  const write = writeOne(to, root.of(), type, include)
  const query = {
    ...{ type, include, detail: BRIEF, filter: null, search: '', sort: [], page: firstPage(1) },
    state: rootState(to, type, given).state,
    locale: localeIn(to.model, type, given),
  }
  return { query, write, typeNos: typesOf(to.model, query) }
}

export function toFiles(to: Compiling, root: Picked): ReadFiles {
  const given = to.argumentsOf(root)
  const sort = parseSort(given['sort'])
  const paging = pagingOf('cms', given, '')
  const page = toPage(paging, isCounted(root.of()))
  if (page.kind !== 'offset' || paging.kind !== 'numbered')
    throw new Error('files are paged by number')
  const write = compilePage(root.of(), itemWriter(to, 'files', []), '')
  return {
    query: { filter: filterIn(to, 'files', given), search: '', sort, page },
    write({ files, total }, writing) {
      const { start, limit } = paging.page.of(writing.values)
      const ends = { hasMore: false, hasPrevious: false, positionAt: () => [] }
      return write({ items: files, total, start, limit, ...ends }, writing)
    },
  }
}

export function toFile(to: Compiling, root: Picked, picked: readonly Picked[]): ReadFiles {
  const { id } = to.argumentsOf(root)
  const text = id instanceof Slot ? id.map((given) => plainId(String(given), 'files') ?? '0') : '0'
  const isNumber = text instanceof Slot && text.look((own) => /^\d{1,15}$/.test(own))
  const field = isNumber ? 'id' : 'documentId'
  const lowered = text instanceof Slot ? text.map((own) => own.toLowerCase()) : text
  const write = compileResponse<Item>(to, picked, itemWriter(to, 'files', []))
  return {
    query: {
      filter: compare(field, 'eq', lowered),
      ...{ search: '', sort: [], page: firstPage(1) },
    },
    write: ({ files }, writing) => write(files[0] ?? null, writing),
  }
}

/** What a change has left behind: the copy that was written, live or not. */
export function toWritten(
  to: Compiling,
  root: Picked,
  type: ContentType,
  isLive: boolean,
  id: Slot<number>,
): ReadEntries {
  const include: Includes = []
  const write = writeOne(to, root.of(), type, include)
  const state = isLive ? 'live' : 'working'
  const query = {
    type,
    state,
    locale: { kind: 'all' },
    filter: null,
    include,
    detail: BRIEF,
  } as const
  return { query: oneOf(query, { id }), write, typeNos: typesOf(to.model, query) }
}
