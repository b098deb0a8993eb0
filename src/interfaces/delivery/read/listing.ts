import { NEVER } from '#content-dialect'
import type { ContentType } from '#content-model'
import {
  type Filter,
  type ListedType,
  type ListQuery,
  MOST_PARTS,
  type OffsetPage,
  typesOf,
} from '#content-query'
import { delivering, includesFor } from '../query/includes.ts'
import type { ParsedSort } from '../query/sort.ts'
import type { Asked } from '../request.ts'

/** What is asked of the items of each type; types that are absent are not listed. */
export type Wanted = ReadonlyMap<ContentType, Filter | null>

export interface Order extends Pick<ParsedSort, 'keys' | 'namesIn'> {}

export const DEFAULT_ORDER: Order = { keys: [], namesIn: () => new Map() }

/** A list as it is asked of the store, over all types at once. */
export interface Listed {
  readonly query: ListQuery
  /** The types whose changes may change the list. */
  readonly typeNos: readonly number[]
  /** Of so many types that their entries come without what is shown with them, and are read again. */
  readonly isBare: boolean
}

/** With what `expand` and `fields` ask to be shown. */
export function listOf(asked: Asked, wanted: Wanted, order: Order, page: OffsetPage): Listed {
  const listed = listedTypes(asked, wanted, order)
  const isBare = listed.length > MOST_PARTS
  const types = isBare ? listed.map((type) => ({ ...type, include: [] })) : listed
  const { model, delivered, state, locale } = asked
  const sort = order.keys.filter(({ path: [name = ''] }) => isKnown(name, types))
  const query: ListQuery = {
    ...{ types, state, locale, filter: null, search: '', sort, page },
    exists: delivered.has,
  }
  const typeNos = new Set(
    listed.flatMap(({ type, filter = null, include }) => typesOf(model, { type, filter, include })),
  )
  return { query, typeNos: [...typeNos], isBare }
}

function listedTypes(asked: Asked, wanted: Wanted, order: Order): readonly ListedType[] {
  return [...wanted].flatMap(([type, filter]): ListedType[] => {
    // Items that vary do not exist in a culture that is not configured (contract §6.4).
    if (filter === NEVER || (type.localized && asked.culture.code === undefined)) return []
    const include = includesFor(asked, type, asked.showing)
    const own = both(delivering(asked.state), filter)
    return [{ type, filter: own, include, names: order.namesIn(type) }]
  })
}

function both(one: Filter | null, other: Filter | null): Filter | null {
  return one && other ? { kind: 'and', of: [one, other] } : (one ?? other)
}

/** A property that none of the listed types has sorts nothing. */
function isKnown(name: string, types: readonly ListedType[]): boolean {
  return (
    !name.startsWith('@sort') ||
    name === '@sortOrder' ||
    types.some(({ names }) => names?.has(name))
  )
}
