import type { ContentQuery, CopyState, Filter } from '#content'
import type { CursorBinding, Paging } from '#kernel'
import type { Context, Version } from './query/context.ts'
import { parseFields } from './query/fields.ts'
import { LIST_PARAMETERS, parsePlainFilters, withQueryNames } from './query/filters.ts'
import { parseInclude } from './query/include.ts'
import { parseLocale } from './query/locale.ts'
import { bindingOf, type Cursors, parsePaging, toPageChoice } from './query/paging.ts'
import { parseSort } from './query/sort.ts'
import { parseStatus } from './query/status.ts'

export type { Context, Version } from './query/context.ts'
export type { Cursors } from './query/paging.ts'

/** How the records of an answer are to be shown. */
export interface View {
  readonly version: Version
  readonly state: CopyState
  /** Null: all members. */
  readonly fields: ReadonlySet<string> | null
}

export interface ParsedList {
  readonly query: ContentQuery
  readonly paging: Paging
  readonly binding: CursorBinding
  readonly view: View
  /** Parameters that were understood; the rest is ignored and reported. */
  readonly known: readonly string[]
}

export interface ParsedOne {
  readonly query: Omit<ContentQuery, 'page' | 'sort' | 'search'>
  readonly view: View
  readonly known: readonly string[]
}

export interface ListDeps {
  readonly cursors: Cursors
  /** The operator language (CMS REST contract §4.1) on objects. */
  parseFilters(raw: unknown, at: readonly (string | number)[]): Filter | null
}

/** What a child collection adds to the list of its type. */
export type Narrowed = Pick<ContentQuery, 'linkedFrom'> & { readonly resource?: string }

/** The parameters of a list (contract §4, §5) as the one query of the store. */
export function parseList(
  context: Context,
  { cursors, parseFilters }: ListDeps,
  { resource = context.type.uid, ...narrowed }: Narrowed = {},
): ParsedList {
  const { type, parameters, version } = context
  const plain = parsePlainFilters(context)
  const nested = parameters.filters
  const own = nested === undefined ? null : parseFilters(withQueryNames(nested), ['filters'])
  const { state, status } = parseStatus(context)
  const sorting = parseSort(context)
  const paging = parsePaging(context)
  const fields = parseFields(context)
  const asked = {
    ...narrowed,
    ...(status === undefined ? {} : { status }),
    type,
    state,
    locale: parseLocale(context),
    filter: allOf([...plain.filters, ...(own ? [own] : [])]),
    search: parameters.text('q') ?? '',
  }
  const binding = bindingOf(resource, sorting, asked)
  const page = toPageChoice(paging, (cursor) => cursors.decode(cursor, binding))
  const include = parseInclude(context, fields)
  return {
    query: { ...asked, sort: sorting.keys, page, include },
    paging,
    binding,
    view: { version, state, fields },
    known: [...LIST_PARAMETERS, ...plain.known, ...statusParameter(context)],
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
