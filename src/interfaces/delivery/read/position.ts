import type { StartItem } from '#content'
import { allOf, NEVER } from '#content-dialect'
import type { ContentType } from '#content-model'
import {
  type Filter,
  type ListedType,
  type ListQuery,
  MOST_PARTS,
  type OffsetPage,
  type Slot,
  type TreeSpot,
  typesOf,
} from '#content-query'
import type { DeliveryDeps } from '../deps.ts'
import { delivering, includesFor } from '../query/includes.ts'
import { type Fetch, parseFetch, valuesOf } from '../query/parameters.ts'
import type { ParsedSort } from '../query/sort.ts'
import { type Asked, findNamed, findStartItem } from '../request.ts'
import { parseUuid } from '../target.ts'

/** The part of the tree a list shows; `nowhere` when what it is asked below does not exist. */
export type Position = Filter | 'everywhere' | 'nowhere'

/** `fetch` and `Start-Item` (contract §5 and §6.1). */
export function createPositions(deps: Pick<DeliveryDeps, 'content'>) {
  const { tree } = deps.content
  return find

  async function find(asked: Asked): Promise<Position> {
    const fetch = parseFetch(valuesOf(asked.parameters, 'fetch'), [
      ...(['children', 'descendants', 'ancestors'] as const),
    ])
    const start = await findStartItem(deps, asked)
    if (!fetch) return start ? placed('descendants', toSpot(start)) : 'everywhere'
    if (fetch.target.replaceAll('/', '') === '') return fromTop(asked, fetch, start)
    const spot = await findSpot(asked, fetch.target, start)
    return spot ? placed(fetch.selector, spot) : 'nowhere'
  }

  /** Of the start item, else of the default one, else of all that stand at the top. */
  async function fromTop(
    asked: Asked,
    { selector }: Fetch,
    named: StartItem | undefined,
  ): Promise<Position> {
    const [first] = named ? [named] : await tree.startItems(asked.tree)
    const start = named ?? (first?.kind === 'root' ? first : undefined)
    if (start) return placed(selector, toSpot(start))
    if (selector === 'ancestors') return 'nowhere'
    return selector === 'children' ? { kind: 'missing', field: '@parent' } : 'everywhere'
  }

  async function findSpot(
    asked: Asked,
    target: string,
    start: StartItem | undefined,
  ): Promise<TreeSpot | undefined> {
    const id = parseUuid(target)
    if (id !== undefined) {
      const collection = asked.delivered.types.find(({ uuid }) => uuid === id)
      if (collection) return { collection }
      const documents = await tree.findDocuments(asked.tree, [id])
      return documents.has(id) ? { documentId: id } : undefined
    }
    const found = await tree.resolvePath(asked.tree, target.normalize('NFC'), start)
    if (found) return { documentId: found.documentId }
    const item = findNamed(await tree.startItems(asked.tree), target)
    return item && toSpot(item)
  }
}

function toSpot({ kind, id, type }: StartItem): TreeSpot {
  return kind === 'root' ? { documentId: id } : { collection: type }
}

function placed(axis: Fetch['selector'], of: TreeSpot): Filter {
  return { kind: 'placed', axis, of }
}

/** A document by which a list is placed is a value; all else belongs to the template. */
export function splitPosition(position: Position): {
  readonly template: string
  readonly value: string
  read(value: Slot<string>): Position
} {
  if (typeof position === 'string') return { template: position, value: '', read: () => position }
  if (position.kind !== 'placed')
    return { template: JSON.stringify(position), value: '', read: () => position }
  const { kind, axis, of } = position
  if ('collection' in of) {
    return { template: `${axis} ${of.collection.no}`, value: '', read: () => position }
  }
  const value = typeof of.documentId === 'string' ? of.documentId : ''
  return { template: axis, value, read: (documentId) => ({ kind, axis, of: { documentId } }) }
}

/** What is asked of the items of each type; types that are absent are not listed. */
export type Wanted = ReadonlyMap<ContentType, Filter | null>

interface Order extends Pick<ParsedSort, 'keys' | 'namesIn'> {}

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
    const own = allOf([delivering(asked.state), filter])
    return [{ type, filter: own, include, names: order.namesIn(type) }]
  })
}

/** A property that none of the listed types has sorts nothing. */
function isKnown(name: string, types: readonly ListedType[]): boolean {
  return (
    !name.startsWith('@sort') ||
    name === '@sortOrder' ||
    types.some(({ names }) => names?.has(name))
  )
}
