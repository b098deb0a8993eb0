import {
  type ContentQuery,
  type CopyState,
  type Filter,
  type GivenPage,
  type LocaleChoice,
  type OneQuery,
  type Operand,
  pageIn,
  type Slot,
  typesOf,
} from '#content-query'
import type { CursorBinding, Paging } from '#paging'
import type { Context, Version } from './context.ts'
import { parseFields } from './fields.ts'
import { LIST_PARAMETERS, parsePlainFilters, withQueryNames } from './filters.ts'
import { parseInclude } from './include.ts'
import { parseLocale } from './locale.ts'
import { bindingOf, type Cursors, parsePage, parsePaging } from './paging.ts'
import { parseSort } from './sort.ts'
import { parseStatus } from './status.ts'

export type { Context, Version } from './context.ts'
export type { Cursors } from './paging.ts'

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

export interface ListDeps {
  readonly cursors: Cursors
  /** The operator language (CMS REST contract §4.1) on objects. */
  parseFilters(raw: unknown, at: readonly (string | number)[]): Filter | null
}

/** What a child collection adds to the list of its type. */
export interface Narrowed extends Pick<ContentQuery, 'linkedFrom'> {
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
    filter: allOf([...plain.filters, ...(own ? [own] : [])]),
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
  }
  return {
    ...{ query, page, paging, binding, view: { version, state, fields } },
    known: [...LIST_PARAMETERS, ...plain.known, ...statusParameter(context)],
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

function allOf(filters: readonly Filter[]): Filter | null {
  const [first] = filters
  if (first === undefined) return null
  return filters.length === 1 ? first : { kind: 'and', of: filters }
}
