import type { Entry, FoundRoute, Read } from '#content'
import { allOf, isOneOf, jsonList } from '#content-dialect'
import type { ContentType } from '#content-model'
import { type Filter, firstPage, MOST_PARTS, type OffsetPage, type Question } from '#content-query'
import { DomainError } from '#kernel'
import type { DeliveryDeps } from './deps.ts'
import { notDelivered, validationFault } from './errors.ts'
import { type ParsedFilter, parseFilter } from './query/filter.ts'
import { type FilterExpression, parseFilterTexts, splitFilters } from './query/filter-syntax.ts'
import { attributeOf, type KnownField } from './query/known-fields.ts'
import { type Page, parsePage, valuesOf } from './query/parameters.ts'
import { type ParsedSort, parseSort } from './query/sort.ts'
import {
  createPositions,
  DEFAULT_ORDER,
  type Listed,
  listOf,
  type Position,
  splitPosition,
  type Wanted,
} from './read/position.ts'
import { createPresenter } from './render/present.ts'
import { type Asked, findStartItem } from './request.ts'
import { parseUuid } from './target.ts'

const MAX_IDS = 200
const PREVIEW = /^preview-(.+)$/i

/** Where an item is now that used to be at the path asked for. */
export interface Moved {
  readonly moved: FoundRoute
}

/** The query of a list, but for the part of the tree it is about. */
interface ParsedList {
  readonly filter: ParsedFilter
  readonly order: ParsedSort
}

/** The keys of all that is skipped pass through this thread where a list has very many types. */
const DEEPEST_SKIP = 10_000

/** The content endpoints (contract §5). */
export function createContentReads(deps: DeliveryDeps) {
  const { content } = deps
  const positionOf = createPositions(deps)
  const present = createPresenter(deps)
  const prepareAll = content.entryTemplates<Listed>()
  const prepareIds = content.entryTemplates<Listed>()
  return { listAll, items, byId, byPath }

  async function listAll(asked: Asked): Promise<Read> {
    const { parameters, settings, caller } = asked
    const page = parsePage(parameters, settings.maxTake)
    const expressions = parseFilterTexts(valuesOf(parameters, 'filter'))
    const isKnown = isPlain(asked, expressions)
    const position = isKnown ? 'everywhere' : await positionFor(asked, expressions)
    const isPositioned = position !== 'everywhere'
    const prepared = prepareAll(caller.viewer, allQuestion(asked, expressions, position, page))
    if (prepared.read.isBare && page.skip > DEEPEST_SKIP) throw tooDeep()
    const { entries: found, total } = await content.readEntries(prepared)
    const entries = prepared.read.isBare ? await wholeOf(asked, found) : found
    const render = (all: readonly string[]) => `{"total":${total},"items":${listed(all)}}`
    const read = await readOf(asked, entries, prepared.read.typeNos, isPositioned, render)
    if (!page.isReduced) return read
    return { ...read, headers: { 'x-max-take': String(settings.maxTake) } }
  }

  /** Where the list is, and that it can be asked: what is wrong is told in the order of the contract. */
  async function positionFor(
    asked: Asked,
    expressions: readonly FilterExpression[],
  ): Promise<Position> {
    const parsed = parseList(asked, expressions)
    const position = await positionOf(asked)
    toList(asked, parsed, position, firstPage(0))
    await requireReady(asked, [...parsed.filter.fields, ...parsed.order.fields])
    return position
  }

  /** In the order asked; what is not there is left out. */
  async function items(asked: Asked): Promise<Read> {
    const given = valuesOf(asked.parameters, 'id')
    if (given.length > MAX_IDS) throw validationFault('id', `At most ${MAX_IDS} ids are taken.`)
    const ids = [...new Set(given.flatMap(({ value }) => parseUuid(value.trim()) ?? []))]
    const { entries, typeNos } = await withIds(
      asked,
      ids.length > 0 ? asked.delivered.types : [],
      ids,
    )
    const rankOf = new Map(ids.map((id, at) => [id, at]))
    const sorted = entries.toSorted(
      (a, b) => (rankOf.get(a.documentId) ?? 0) - (rankOf.get(b.documentId) ?? 0),
    )
    return readOf(asked, sorted, typeNos, false, listed)
  }

  /** What there is of these among these types. */
  async function withIds(asked: Asked, types: readonly ContentType[], ids: readonly string[]) {
    const prepared = prepareIds(asked.caller.viewer, {
      ...shownBy(asked, types.map(({ no }) => no).join(' ')),
      values: [ids, ids.length],
      read: ({ list, whole }) => {
        const wanted = new Map(types.map((type) => [type, isOneOf('documentId', list(0))]))
        return listOf(asked, wanted, DEFAULT_ORDER, firstPage(whole(1)))
      },
    })
    const { entries } = await content.readEntries(prepared)
    const { typeNos, isBare } = prepared.read
    return { entries: isBare ? await wholeOf(asked, entries) : entries, typeNos }
  }

  /** The same entries with all that is shown with them, in their order; a few types at a time. */
  async function wholeOf(asked: Asked, entries: readonly Entry[]): Promise<readonly Entry[]> {
    const types = [...new Set(entries.map(({ type }) => type.no))]
    const whole = new Map<string, Entry>()
    for (let at = 0; at < types.length; at += MOST_PARTS) {
      const nos = new Set(types.slice(at, at + MOST_PARTS))
      const ids = entries.filter(({ type }) => nos.has(type.no)).map((entry) => entry.documentId)
      const some = asked.delivered.types.filter(({ no }) => nos.has(no))
      const found = await withIds(asked, some, ids)
      for (const entry of found.entries) whole.set(entry.documentId, entry)
    }
    return entries.flatMap(({ documentId }) => whole.get(documentId) ?? [])
  }

  async function byId(asked: Asked, id: string): Promise<Read> {
    return one(asked, asked.delivered.types, id, false)
  }

  async function byPath(asked: Asked, path: string): Promise<Read | Moved> {
    const [, draft = ''] = (asked.caller.isPreview ? PREVIEW.exec(path) : null) ?? []
    const draftId = parseUuid(draft)
    if (draftId !== undefined) return byId(asked, draftId)
    const found = await resolve(asked, path)
    if (!found) throw notDelivered()
    if (found.isFormer) return { moved: found }
    const types = asked.delivered.types.filter(({ no }) => no === found.type.no)
    return one(asked, types, found.documentId, true)
  }

  /** An empty path is that of the default start item. */
  async function resolve(asked: Asked, path: string): Promise<FoundRoute | undefined> {
    const start = await findStartItem(deps, asked)
    if (path !== '' || start?.kind === 'root') {
      return content.tree.resolvePath(asked.tree, path, start)
    }
    if (start) return undefined
    const [first] = await content.tree.startItems(asked.tree)
    return first?.kind === 'root' ? content.tree.resolvePath(asked.tree, '', first) : undefined
  }

  async function one(
    asked: Asked,
    types: readonly ContentType[],
    id: string,
    isPositioned: boolean,
  ): Promise<Read> {
    const { entries, typeNos } = await withIds(asked, types, [id])
    if (entries.length === 0) throw notDelivered()
    return readOf(asked, entries, typeNos, isPositioned, ([item = '']) => item)
  }

  async function readOf(
    asked: Asked,
    entries: readonly Entry[],
    typeNos: readonly number[],
    isPositioned: boolean,
    render: (items: readonly string[]) => string,
  ): Promise<Read> {
    const { items: shown, hasLinks, hasFiles } = await present(asked, entries)
    const types = typesIn(asked, typeNos, isPositioned || hasLinks)
    return { text: render(shown), typeNos: hasFiles ? null : types }
  }

  /** Contract §9: a registered field answers when it is indexed, never from part of the content. */
  async function requireReady({ delivered }: Asked, fields: readonly KnownField[]): Promise<void> {
    const used = fields
      .filter((field) => field.kind === 'indexed')
      .flatMap((field) => delivered.types.flatMap((type) => toIndexed(type, field)))
    const isAsked = fields.some(({ kind }) => kind === 'module')
    const isSaid = !isAsked || (await content.indexFields.isReady(delivered.types))
    if (isSaid && (used.length === 0 || (await content.isIndexed(used)))) return
    throw new DomainError('unavailable', 'index_not_ready', 'The field is still being indexed', {
      headers: { 'retry-after': '1' },
    })
  }
}

function listed(items: readonly string[]): string {
  return jsonList(items, (item) => item)
}

/** Nothing has to be looked up before the list can be asked: it is placed nowhere, by no index. */
function isPlain(
  { delivered, parameters, request }: Asked,
  expressions: readonly FilterExpression[],
): boolean {
  const isPositioned = parameters.some(({ param }) => param === 'fetch')
  if (isPositioned || request.headers['start-item'] !== undefined) return false
  const names = [
    ...expressions.map(({ field }) => field.toLowerCase()),
    ...valuesOf(parameters, 'sort').map(({ value }) => value.toLowerCase()),
  ]
  const registered = [
    ...delivered.indexFields.map(({ FieldName }) => FieldName),
    ...delivered.moduleFields.map(({ name }) => name),
  ]
  return !registered.some((field) => names.some((name) => name.includes(field.toLowerCase())))
}

function parseList(asked: Asked, expressions: readonly FilterExpression[]): ParsedList {
  const { delivered, parameters } = asked
  const filter = parseFilter(delivered, expressions)
  return { filter, order: parseSort(delivered, valuesOf(parameters, 'sort')) }
}

function toList(
  asked: Asked,
  { filter, order }: ParsedList,
  position: Position,
  page: OffsetPage,
): Listed {
  return listOf(
    asked,
    position === 'nowhere' ? new Map() : within(filter.types, position),
    order,
    page,
  )
}

/** The list taken apart: besides what is compared, its page and where it stands are values. */
function allQuestion(
  asked: Asked,
  expressions: readonly FilterExpression[],
  position: Position,
  { skip, take }: Page,
): Question<Listed> {
  const split = splitFilters(expressions)
  const sorting = valuesOf(asked.parameters, 'sort').map(({ value }) => value)
  const spot = splitPosition(position)
  return {
    ...shownBy(asked, JSON.stringify([spot.template, split.template, sorting])),
    values: [skip, take, spot.value, ...split.values],
    read(slots) {
      const numbers = { start: slots.whole(0), limit: slots.whole(1) }
      const page = { kind: 'offset', ...numbers, count: true } as const
      const parsed = parseList(asked, split.read(slots, 3))
      return toList(asked, parsed, spot.read(slots.text(2)), page)
    },
  }
}

/** What of a request decides how a list is read, besides what is asked of it. */
function shownBy({ model, delivered, state, culture, parameters }: Asked, kind: string) {
  const shown = ['expand', 'fields'].map((name) => valuesOf(parameters, name))
  const template = `${state} ${culture.code ?? ''} ${JSON.stringify(shown)} ${kind}`
  return { model, owner: delivered, template }
}

/** The types whose changes may change an answer; where an entry stands may depend on any. */
function typesIn({ model }: Asked, typeNos: readonly number[], isAny: boolean): readonly number[] {
  return isAny ? model.types.map(({ no }) => no) : typeNos
}

function toIndexed(type: ContentType, field: KnownField) {
  const attribute = attributeOf(type, field)
  return attribute ? [{ type, attribute: attribute.name }] : []
}

function within(types: Wanted, position: Filter | 'everywhere'): Wanted {
  if (position === 'everywhere') return types
  return new Map([...types].map(([type, filter]) => [type, allOf([position, filter])]))
}

function tooDeep(): DomainError {
  const range = `must be at most ${DEEPEST_SKIP} in a list of more than ${MOST_PARTS} types`
  return validationFault('skip', `${range}; ask for one of them with filter=contentType:...`)
}
