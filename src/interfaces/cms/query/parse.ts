/** From the URL to the question that the store is asked, and to what of the answer is shown. */
import type { ContentModel, ContentType } from '#content-model'
import {
  type ContentQuery,
  type LocaleChoice,
  type OneQuery,
  pageIn,
  parseFilter,
  parseLocale,
  type Slot,
} from '#content-query'
import { type Raw, toText, toValue } from './brackets.ts'
import type { Selection } from './level.ts'
import { type Paging, pagingIn, toPage } from './paging.ts'
import { parsePopulate } from './populate.ts'
import { parseFields, parseSort, parseState } from './showing.ts'

export interface QueryRules {
  readonly model: ContentModel
  readonly type: ContentType
  /** The setting of the populate-depth check (Doc 3 §8). */
  readonly maxDepth: number
}

export interface ParsedOne {
  readonly query: OneQuery
  readonly selection: Selection
  /** Accounts are shown, which only those may see who may write. */
  readonly hasPeople: boolean
  readonly raw: Raw
}

export interface ParsedList {
  readonly query: ContentQuery
  readonly selection: Selection
  readonly hasPeople: boolean
  readonly paging: Slot<Paging>
}

/** Of a list; everything that is wrong with it is refused here or, by name, in the store. */
export function parseList(raw: Raw, rules: QueryRules): ParsedList {
  const { query, selection, hasPeople } = parseOne(raw, rules)
  const sort = parseSort(raw['sort'], ['sort'])
  const paging = pagingIn(raw, sort)
  const search = toValue(raw, '_q') ?? ''
  const asked = { ...query, search, sort, page: pageIn(paging.map(toPage)) }
  return { query: asked, selection, hasPeople, paging }
}

/** Of one entry, and of the answer to a write. */
export function parseOne(raw: Raw, rules: QueryRules): ParsedOne {
  const { type } = rules
  const { include, parts, hasPeople } = parsePopulate(raw['populate'], type, rules)
  const query = {
    type,
    state: parseState(raw),
    locale: localeIn(raw, rules),
    filter: parseFilter(raw['filters'] || undefined, ['filters']),
    include,
  }
  const selection = { fields: parseFields(raw['fields'], type, ['fields']), parts }
  return { query, selection, hasPeople, raw }
}

/** Contract §4.4; of types without languages nothing is looked at. */
function localeIn(raw: Raw, { model, type }: QueryRules): LocaleChoice {
  if (!type.localized) return { kind: 'default' }
  const wanted = toText(raw, 'locale')
  const isAll = wanted?.toLowerCase() === 'all'
  const instead = isAll ? undefined : toText(raw, 'fallbackLocale')
  const choice = parseLocale(model, type, wanted, instead)
  const isNothing = wanted === undefined && choice.kind === 'one' && choice.fallback.length === 0
  return isNothing ? { kind: 'default' } : choice
}
