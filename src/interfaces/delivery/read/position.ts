import type { StartItem } from '#content'
import type { Filter, Slot, TreeSpot } from '#content-query'
import type { DeliveryDeps } from '../deps.ts'
import { type Fetch, parseFetch, valuesOf } from '../query/parameters.ts'
import { type Asked, findNamed, findStartItem } from '../request.ts'
import { parseUuid } from '../target/delivered.ts'

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
