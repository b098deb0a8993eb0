import { allOf, parsedOnce } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import {
  type ContentQuery,
  type CopyState,
  type Filter,
  type GivenPage,
  type LocaleChoice,
  type OneQuery,
  type Operand,
  pageIn,
  parseLocale as parseCodes,
  Slot,
  toSlot,
  typesOf,
} from '#content-query'
import {
  badParameter,
  type CursorBinding,
  type createCursors,
  type Paging,
  parsePaging as parseHousePaging,
  parseIntegerId,
} from '#paging'
import { LIST_PARAMETERS, parsePlainFilters, withQueryNames } from './filters.ts'
import { parseInclude } from './include.ts'
import { parseFields } from './members.ts'
import { FILTERS, type Parameters } from './parameters.ts'
import { parseSort, type Sorting } from './sort.ts'

export type Version = 1 | 2

/** What a query is read against: one snapshot of the model for the whole request. */
export interface Context {
  readonly model: ContentModel
  readonly type: ContentType
  readonly version: Version
  readonly parameters: Parameters
}

/** How the records of an answer are to be shown. */
export interface View {
  readonly version: Version
  readonly state: CopyState
  /** Null: all members. */
  readonly fields: ReadonlySet<string> | null
}

export interface ParsedList {
  readonly query: ContentQuery
  readonly page: Slot<GivenPage>
  readonly paging: Slot<Paging>
  readonly binding: Slot<CursorBinding>
  readonly view: View
  /** Parameters that were understood; the rest is ignored and reported. */
  readonly known: readonly string[]
  /** The types that an answer is made from. */
  readonly typeNos: readonly number[]
}

export interface ParsedOne {
  readonly query: OneQuery
  readonly view: View
  readonly known: readonly string[]
}

interface ListDeps {
  readonly cursors: Cursors
  /** The operator language (CMS REST contract §4.1) on objects. */
  parseFilters(raw: unknown, at: readonly (string | number)[]): Filter | null
}

/** What a child collection adds to the list of its type. */
interface Narrowed extends Pick<ContentQuery, 'linkedFrom'> {
  readonly resource?: Operand<string>
  /** Unless the caller says otherwise. */
  readonly locale?: LocaleChoice
}

/** The parameters of a list (contract §4, §5) as the one query of the store. */
export function parseList(
  context: Context,
  { cursors, parseFilters }: ListDeps,
  { resource = context.type.uid, linkedFrom, locale = { kind: 'default' } }: Narrowed = {},
): ParsedList {
  const { type, parameters, version } = context
  const plain = parsePlainFilters(context)
  const nested = parameters.filters
  const own = nested === undefined ? null : parseFilters(withQueryNames(nested), ['filters'])
  const { state, status } = parseStatus(context)
  const sorting = parseSort(context)
  const paging = parsePaging(context)
  const fields = parseFields(context)
  const given = parseLocale(context)
  const asked = {
    ...(status === undefined ? {} : { status }),
    type,
    state,
    locale: given,
    filter: allOf([...plain.filters, own]),
    search: parameters.value('q') ?? '',
  }
  const binding = bindingOf(resource, sorting, asked)
  const page = parsePage(paging, binding, cursors)
  const choice = pageIn(page)
  const query = {
    ...asked,
    ...(linkedFrom && { linkedFrom }),
    locale: given.kind === 'default' ? locale : given,
    ...{ sort: sorting.keys, page: choice, include: parseInclude(context, fields) },
    // Of live entries a record shows nothing else.
    ...(state === 'live' && { detail: 'placed' as const }),
  }
  return {
    ...{ query, page, paging, binding, view: { version, state, fields } },
    known: [...LIST_PARAMETERS, FILTERS, ...plain.known, ...statusParameter(context)],
    typeNos: typesOf(context.model, query),
  }
}

/** The parameters that shape one record. */
export function parseOne(context: Context): ParsedOne {
  const { type, version } = context
  const fields = parseFields(context)
  const { state } = parseStatus(context)
  const include = parseInclude(context, fields)
  return {
    query: { type, state, locale: parseLocale(context), filter: null, include },
    view: { version, state, fields },
    known: ['include', 'fields', 'locale', 'fallback_locale', ...statusParameter(context)],
  }
}

/** Types without drafts may have an attribute of this name; then it is a filter like any other. */
function statusParameter({ type }: Context): string[] {
  return type.draftAndPublish ? ['status'] : []
}

const STATUSES = ['published', 'draft', 'changed', 'all'] as const

/** Only types with draft and publish have it as a parameter; without a status all copies are meant. */
function parseStatus({ type, parameters }: Context): Pick<ContentQuery, 'state' | 'status'> {
  const given = type.draftAndPublish ? parameters.text('status') : undefined
  if (given === undefined) return { state: 'live' }
  const status = STATUSES.find((known) => known === given)
  if (status === undefined) throw badParameter('status', `must be one of ${STATUSES.join(', ')}`)
  if (status === 'published') return { state: 'live' }
  return status === 'all' ? { state: 'working' } : { state: 'working', status }
}

export function parseLocale({ model, type, parameters }: Context): LocaleChoice {
  const wanted = parameters.text('locale') || undefined
  return parseCodes(model, type, wanted, parameters.text('fallback_locale') || undefined)
}

export type Cursors = ReturnType<typeof createCursors>

const STRATEGIES = {
  1: ['offset', 'cursor', 'keyset'],
  // Version 2 pages by cursor unless told otherwise (contract §7).
  2: ['cursor', 'offset', 'keyset'],
} as const satisfies Record<Version, readonly Paging['strategy'][]>

const PARAMETERS = [
  ...['page', 'per_page', 'count', 'cursor', 'after_id', 'before_id', 'limit', 'sort'],
]

function parsePaging({ version, parameters }: Context): Slot<Paging> {
  const given = Object.entries(parameters.plain).filter(([name]) => PARAMETERS.includes(name))
  const rules = { parseId: parseIntegerId, strategies: STRATEGIES[version] }
  return parsedOnce(Object.fromEntries(given), (query) => parseHousePaging(query, rules))
}

/** A cursor belongs to one list in one order: what decides about either is part of it. */
function bindingOf(
  resource: Operand<string>,
  { sort, order }: Sorting,
  query: Pick<ContentQuery, 'state' | 'status' | 'locale' | 'filter' | 'search'>,
): Slot<CursorBinding> {
  const { state, status, locale, filter, search } = query
  const asked = Slot.within({ state, status, locale, filter, search })
  return asked.with(toSlot(resource), (filters, of) => ({ resource: of, sort, order, filters }))
}

function parsePage(
  paging: Slot<Paging>,
  binding: Slot<CursorBinding>,
  cursors: Cursors,
): Slot<GivenPage> {
  if (!paging.look(hasCursor)) return paging.map((own) => toPage(own, noCursor))
  return paging
    .with(binding, (own, bound) => toPage(own, (cursor) => cursors.decode(cursor, bound)))
    .once()
}

function hasCursor(paging: Paging): boolean {
  return paging.strategy === 'cursor' && paging.cursor !== null
}

function noCursor(): never {
  throw new Error('there is no cursor to open')
}

function toPage(
  paging: Paging,
  open: (cursor: string) => ReturnType<Cursors['decode']>,
): GivenPage {
  switch (paging.strategy) {
    case 'offset': {
      const { page, perPage, count } = paging
      return { kind: 'offset', start: (page - 1) * perPage, limit: perPage, count }
    }
    case 'keyset': {
      const { afterId, beforeId, limit } = paging
      return { kind: 'keyset', after: afterId, before: beforeId, limit }
    }
    case 'cursor': {
      const { cursor, perPage: limit, count } = paging
      if (cursor === null)
        return { kind: 'cursor', position: null, direction: 'next', limit, count }
      const { direction, values } = open(cursor)
      return { kind: 'cursor', position: values, direction, limit, count }
    }
  }
}
