import {
  type ContentType,
  createListText,
  type EntryText,
  type Filter,
  type FoundRoute,
  type ListText,
  type Read,
} from '#content'
import { createParsed, DomainError } from '#kernel'
import type { Asked } from '../asked.ts'
import { type Delivered, parseUuid } from '../delivered.ts'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered, validationFault } from '../errors.ts'
import { createPresenter } from '../present.ts'
import { attributeOf, type KnownField } from '../query/fields.ts'
import { type ParsedFilter, parseFilter } from '../query/filter.ts'
import { type Page, parsePage } from '../query/paging.ts'
import { valuesOf } from '../query/parameters.ts'
import { type ParsedSort, parseSort } from '../query/sort.ts'
import { itemsIn, itemText } from '../render/text.ts'
import { MOST_ITEMS } from '../render/view.ts'
import { findStartItem } from '../start-item.ts'
import {
  createListing,
  DEFAULT_ORDER,
  type Listed,
  type Question,
  questionOf,
  type Wanted,
} from './listing.ts'
import { createPlacing, type Placing } from './spot.ts'

const MAX_IDS = 200
const PREVIEW = /^preview-(.+)$/i

/** Where an item is now that used to be at the path asked for. */
export interface Moved {
  readonly moved: FoundRoute
}

/** The query of a list, but for the part of the tree it is about. */
interface ParsedList {
  readonly page: Page
  readonly filter: ParsedFilter
  readonly order: ParsedSort
}

/** The content endpoints (contract §5). */
export function createContentReads(deps: DeliveryDeps) {
  const { content } = deps
  const list = createListing(deps)
  const placing = createPlacing(deps)
  const present = createPresenter(deps)
  const known = createParsed<Delivered, ParsedList>()
  const texts = createParsed<Delivered, ToldList>()
  const everywhere = new WeakMap<ParsedList, Question>()
  return { listAll, items, byId, byPath }

  async function listAll(asked: Asked): Promise<Read> {
    const parsed = parsedOnce(asked)
    const { page, filter, order } = parsed
    const place = await placing(asked)
    const isPlaced = place !== 'everywhere'
    const question = questionAt(asked, parsed, place)
    await requireReady(asked, [...filter.fields, ...order.fields])
    const found = await list(asked, question)
    const render = (items: string) => `{"total":${found.total},"items":[${items}]}`
    const read =
      found.text === null
        ? await readOf(asked, found, isPlaced, (shown) => render(shown.join(',')))
        : { text: render(found.text), typeNos: typesIn(asked, found, isPlaced) }
    if (!page.isReduced) return read
    return { ...read, headers: { 'x-max-take': String(asked.settings.maxTake) } }
  }

  /** Queries asked again are parsed once, so that the store knows them again too. */
  function parsedOnce(asked: Asked): ParsedList {
    const { delivered, parameters, settings, culture, state, query } = asked
    const key = `${state} ${culture.code ?? ''} ${query}`
    const found = known.find(delivered, key)
    if (found) return found
    const page = parsePage(parameters, settings.maxTake)
    const filter = parseFilter(delivered, valuesOf(parameters, 'filter'))
    const order = parseSort(delivered, valuesOf(parameters, 'sort'))
    return known.keep(delivered, key, { page, filter, order })
  }

  function questionAt(asked: Asked, parsed: ParsedList, place: Placing): Question {
    const found = place === 'everywhere' ? everywhere.get(parsed) : undefined
    if (found) return found
    const { page, filter, order } = parsed
    const wanted = place === 'nowhere' ? new Map() : within(filter.types, place)
    const asking = questionOf(asked, wanted, order, { start: page.skip, limit: page.take })
    const made = { ...asking, text: textFor(asked, asking) }
    if (place === 'everywhere') everywhere.set(parsed, made)
    return made
  }

  /** The text of items is the same for all lists that differ in which they are alone. */
  function textFor({ state, delivered, parameters, showing }: Asked, { query }: Question) {
    if (state !== 'live') return undefined
    const types = query.types.map(({ type }) => type)
    const shown = ['expand', 'fields'].map((name) => valuesOf(parameters, name))
    const key = JSON.stringify([types.map(({ no }) => no), shown])
    const { text, size } =
      texts.find(delivered, key) ?? texts.keep(delivered, key, listText(delivered, types, showing))
    return size * query.limit <= MOST_ITEMS ? text : undefined
  }

  /** In the order asked; what is not there is left out. */
  async function items(asked: Asked): Promise<Read> {
    const given = valuesOf(asked.parameters, 'id')
    if (given.length > MAX_IDS) throw validationFault('id', `At most ${MAX_IDS} ids are taken.`)
    const ids = [...new Set(given.flatMap(({ value }) => parseUuid(value.trim()) ?? []))]
    const page = { start: 0, limit: MAX_IDS }
    const found = await list(asked, questionOf(asked, withIds(asked, ids), DEFAULT_ORDER, page))
    const placeOf = new Map(ids.map((id, at) => [id, at]))
    const entries = found.entries.toSorted(
      (a, b) => (placeOf.get(a.documentId) ?? 0) - (placeOf.get(b.documentId) ?? 0),
    )
    return readOf(asked, { ...found, entries }, false, (shown) => `[${shown.join(',')}]`)
  }

  async function byId(asked: Asked, id: string): Promise<Read> {
    return one(asked, withIds(asked, [id]), false)
  }

  async function byPath(asked: Asked, path: string): Promise<Read | Moved> {
    const [, draft = ''] = (asked.caller.isPreview ? PREVIEW.exec(path) : null) ?? []
    const draftId = parseUuid(draft)
    if (draftId !== undefined) return byId(asked, draftId)
    const found = await resolve(asked, path)
    if (!found) throw notDelivered()
    if (found.isFormer) return { moved: found }
    const type = asked.delivered.types.find(({ no }) => no === found.type.no)
    return one(asked, type ? new Map([[type, isOneOf([found.documentId])]]) : new Map(), true)
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

  async function one(asked: Asked, wanted: Wanted, isPlaced: boolean): Promise<Read> {
    const page = { start: 0, limit: 1 }
    const found = await list(asked, questionOf(asked, wanted, DEFAULT_ORDER, page))
    if (found.entries.length === 0) throw notDelivered()
    return readOf(asked, found, isPlaced, ([item = '']) => item)
  }

  async function readOf(
    asked: Asked,
    found: Listed,
    isPlaced: boolean,
    render: (items: readonly string[]) => string,
  ): Promise<Read> {
    const { items: shown, hasLinks, hasFiles } = await present(asked, found.entries)
    const typeNos = typesIn(asked, found, isPlaced || hasLinks)
    return { text: render(shown), typeNos: hasFiles ? null : typeNos }
  }

  /** Contract §9: a registered field answers when it is indexed, never from part of the content. */
  async function requireReady({ delivered }: Asked, fields: readonly KnownField[]): Promise<void> {
    const used = fields
      .filter((field) => field.kind === 'indexed')
      .flatMap((field) => delivered.types.flatMap((type) => toIndexed(type, field)))
    if (used.length === 0 || (await content.isIndexed(used))) return
    throw new DomainError('unavailable', 'index_not_ready', 'The field is still being indexed', {
      headers: { 'retry-after': '1' },
    })
  }
}

/** Items of all types as text, and how many of them one shows at most. */
interface ToldList {
  readonly text: ListText | undefined
  readonly size: number
}

function listText(
  delivered: Delivered,
  types: readonly ContentType[],
  showing: Asked['showing'],
): ToldList {
  const texts = new Map<ContentType, EntryText>()
  for (const type of types) {
    const text = itemText(delivered, type, showing)
    if (text) texts.set(type, text)
  }
  const size = Math.max(...[...texts.values()].map(itemsIn))
  return { text: texts.size === types.length ? createListText(texts) : undefined, size }
}

/** The types whose changes may change an answer; where an entry stands may depend on any. */
function typesIn({ model }: Asked, { typeNos }: Listed, isAny: boolean): readonly number[] {
  return isAny ? model.types.map(({ no }) => no) : typeNos
}

function toIndexed(type: ContentType, field: KnownField) {
  const attribute = attributeOf(type, field)
  return attribute ? [{ type, attribute: attribute.name }] : []
}

function withIds({ delivered }: Asked, ids: readonly string[]): Wanted {
  if (ids.length === 0) return new Map()
  return new Map(delivered.types.map((type) => [type, isOneOf(ids)]))
}

function isOneOf(ids: readonly string[]): Filter {
  return { kind: 'compare', field: 'documentId', operator: 'in', fold: false, values: ids }
}

function within(types: Wanted, place: Filter | 'everywhere'): Wanted {
  if (place === 'everywhere') return types
  return new Map(
    [...types].map(([type, filter]) => [
      type,
      filter ? { kind: 'and', of: [place, filter] } : place,
    ]),
  )
}
