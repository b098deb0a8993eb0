import type { ContentType, Entry, EntryPage, FilePage, MediaFile } from '#content'
import { targetIn } from '#content-dialect'
import {
  type ContentQuery,
  type FilesQuery,
  firstPage,
  oneOf,
  type Question,
  Slot,
  type Slots,
  type Values,
} from '#content-query'
import { DomainError } from '#kernel'
import type { GraphqlDeps } from '../deps.ts'
import { type Arguments, argumentsOf, fillArguments, splitArguments } from '../query/arguments.ts'
import { toFilter } from '../query/filter.ts'
import { type Compiling, type Includes, localeIn } from '../query/level.ts'
import { type Paging, pagingOf, toPage } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import { parseSort, sortText } from '../query/sort.ts'
import { rootState } from '../query/state.ts'
import { compileResponse, itemWriter } from '../render/entries.ts'
import { compilePage, isCounted, type Page } from '../render/pages.ts'
import type { Write, Writing } from '../render/writing.ts'
import type { Asked } from '../request.ts'
import { parseGlobalId, plainId } from '../target.ts'
import { templateOf } from './template.ts'

/** What is made of a template: the question, and how its answer is written. */
interface ReadEntries {
  readonly query: ContentQuery
  readonly write: Write<EntryPage>
}

interface ReadFiles {
  readonly query: FilesQuery
  readonly write: Write<FilePage>
}

/** Writes what was read; errors of single fields are added to those of the answer. */
export type Answer = (to: Pick<Writing, 'path' | 'errors'>) => string | null

type Item = Entry | MediaFile

/** Fields of the root that read the store: one question each, whatever is picked below. */
export function createRootReads({ content }: GraphqlDeps) {
  const prepareEntries = content.entryTemplates<ReadEntries>()
  const prepareFiles = content.fileTemplates<ReadFiles>()
  return { list, one, single, node, files, file, entry }

  function list(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    return readEntries(asked, root, root.of(), 'list', (to) => toList(to, root, type))
  }

  function one(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    return readEntries(asked, root, root.of(), 'one', (to) => toOne(to, root, root.of(), type))
  }

  function single(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    return readEntries(asked, root, root.of(), 'single', (to) => toSingle(to, root, type))
  }

  /** The result of a change: the copy that was written, live or not. */
  function entry(asked: Asked, root: Picked, type: ContentType, id: number, isLive: boolean) {
    const kind = `entry ${isLive}`
    return readEntries(
      asked,
      root,
      root.of(),
      kind,
      (to, slots, at) => {
        const query = { type, state: isLive ? 'live' : 'working', locale: { kind: 'all' } } as const
        const include: Includes = []
        const write = writeOne(to, root.of(), type, include)
        return {
          query: oneOf({ ...query, filter: null, include, brief: true }, { id: slots.whole(at) }),
          write,
        }
      },
      [id],
    )
  }

  /** Contract §6: null for whatever the caller cannot have. */
  async function node(asked: Asked, root: Picked): Promise<Answer> {
    const { id } = argumentsOf(root, asked.variables)
    const named = parseGlobalId(String(id))
    if (named?.kind === 'file') return file(asked, root, root.of('UploadFile'))
    const type = named && asked.model.typeByNo(named.typeNo)
    if (!type) return nothing
    const picked = root.of(asked.schema.nameOf(type))
    try {
      return await readEntries(asked, root, picked, `node ${type.no}`, (to) =>
        toOne(to, root, picked, type),
      )
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return nothing
      throw error
    }
  }

  async function files(asked: Asked, root: Picked): Promise<Answer> {
    return readFiles(asked, root, root.of(), 'files', (to) => toFiles(to, root))
  }

  async function file(asked: Asked, root: Picked, picked = root.of()): Promise<Answer> {
    return readFiles(asked, root, picked, 'file', (to) => toFile(to, root, picked))
  }

  async function readEntries(
    asked: Asked,
    root: Picked,
    picked: readonly Picked[],
    kind: string,
    read: (to: Compiling, slots: Slots, at: number) => ReadEntries,
    more: Values = [],
  ): Promise<Answer> {
    const prepared = prepareEntries(asked.viewer, questionOf(asked, root, picked, kind, read, more))
    const page = await content.readEntries(prepared)
    return (to) => prepared.read.write(page, { ...to, values: prepared.values })
  }

  async function readFiles(
    asked: Asked,
    root: Picked,
    picked: readonly Picked[],
    kind: string,
    read: (to: Compiling) => ReadFiles,
  ): Promise<Answer> {
    const prepared = prepareFiles(asked.viewer, questionOf(asked, root, picked, kind, read))
    const page = await content.readFiles(prepared)
    return (to) => prepared.read.write(page, { ...to, values: prepared.values })
  }
}

const nothing: Answer = () => null

/** The root field taken apart: names, orders and states are its template, the rest are values. */
function questionOf<Read>(
  { model, schema, viewer, variables }: Asked,
  root: Picked,
  picked: readonly Picked[],
  kind: string,
  read: (to: Compiling, slots: Slots, at: number) => Read,
  more: Values = [],
): Question<Read> {
  const { text, withArguments } = templateOf(root, picked)
  const values: Values[number][] = []
  const given = new Map<Picked, Arguments>()
  let template = `${schema.form} ${root.name} ${kind} ${text}`
  for (const each of withArguments) {
    const own = argumentsOf(each, variables)
    given.set(each, own)
    template += `|${splitArguments(own, values)}`
  }
  return {
    ...{ model, template, values: more.length > 0 ? [...values, ...more] : values },
    read(slots) {
      let at = 0
      const filled = new Map<Picked, Arguments>()
      for (const [each, own] of given)
        filled.set(
          each,
          fillArguments(own, slots, () => at++),
        )
      const to = {
        model,
        form: schema.form,
        viewer,
        argumentsOf: (each: Picked) => filled.get(each) ?? {},
      }
      return read(to, slots, values.length)
    },
  }
}

function toList(to: Compiling, root: Picked, type: ContentType): ReadEntries {
  const given = to.argumentsOf(root)
  const sort = parseSort(given['sort'])
  const tag = `${type.no} ${sortText(sort)}`
  const paging = pagingOf(to.form, given, tag)
  const include: Includes = []
  const write = compilePage(root.of(), itemWriter(to, type, include), tag)
  const query: ContentQuery = {
    ...{ type, sort, include, search: '', brief: true },
    ...rootState(to, type, given),
    locale: localeIn(to.model, type, given),
    filter: filterIn(to, type, given),
    page: toPage(paging, isCounted(root.of())),
  }
  return { query, write: (page, writing) => write(pageOf(page, paging, writing.values), writing) }
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

function toOne(
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
    ...{ type, include, brief: true },
    state: rootState(to, type, given).state,
    locale: isNumber ? { kind: 'all' as const } : inOne(locale),
    // A number names one variant; asked for in another language it is not there.
    filter: isNumber && locale.kind === 'one' ? localeFilter(locale.code) : null,
  }
  return { query: oneOf(query, target ?? { id: 0 }), write }
}

function inOne(locale: ContentQuery['locale']): ContentQuery['locale'] {
  return locale.kind === 'all' ? { kind: 'default' } : locale
}

function localeFilter(code: string): ContentQuery['filter'] {
  return { kind: 'compare', field: 'locale', operator: 'eq', fold: false, values: [code] }
}

function toSingle(to: Compiling, root: Picked, type: ContentType): ReadEntries {
  const given = to.argumentsOf(root)
  const include: Includes = []
  const write = writeOne(to, root.of(), type, include)
  const query = {
    ...{ type, include, brief: true, filter: null, search: '', sort: [], page: firstPage(1) },
    state: rootState(to, type, given).state,
    locale: localeIn(to.model, type, given),
  }
  return { query, write }
}

function toFiles(to: Compiling, root: Picked): ReadFiles {
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

function toFile(to: Compiling, root: Picked, picked: readonly Picked[]): ReadFiles {
  const { id } = to.argumentsOf(root)
  const text = id instanceof Slot ? id.map((given) => plainId(String(given), 'files') ?? '0') : '0'
  const isNumber = text instanceof Slot && text.look((own) => /^\d{1,15}$/.test(own))
  const field = isNumber ? 'id' : 'documentId'
  const write = compileResponse<Item>(to, picked, itemWriter(to, 'files', []))
  return {
    query: {
      filter: { kind: 'compare', field, operator: 'eq', fold: false, values: [text] },
      ...{ search: '', sort: [], page: firstPage(1) },
    },
    write: ({ files }, writing) => write(files[0] ?? null, writing),
  }
}
