import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { type Above, collectionStart, pathBelow, rootStart, routeOf, startOf } from './routes.ts'
import { stepsOf } from './steps.ts'
import {
  findAbove,
  findByFormerPaths,
  findByPaths,
  findRoots,
  findVariants,
  type SpotRow,
} from './store.ts'
import { type Spot, shownSpots, toSpot } from './variants.ts'
import type {
  ContentTree,
  FoundRoute,
  PlacedDocument,
  Route,
  RoutedEntry,
  StartItem,
  TreeView,
} from './words.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'dialect'>
  model(): ContentModel
}

/** A path below a start item, and the stored path it stands for. */
interface Candidate {
  readonly start: StartItem
  readonly path: string
}

/** Where entries stand. What a view does not show is as if it were not there. */
export function createContentTree({ db, model }: Deps): ContentTree {
  const reader: Kysely<ContentTables> = db.main.reader
  const { dialect } = db
  return { startItems, resolvePath, findDocuments, routesOf, culturesOf }

  async function startItems(view: TreeView): Promise<readonly StartItem[]> {
    const current = model()
    const rows = await findRoots(reader, visible(view))
    const roots = shownSpots(current, view, rows)
    const collections = current.types
      .filter((type) => view.exists(type))
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs || one.no - other.no)
    return [
      ...roots.map(({ type, documentId }) => rootStart(type, documentId)),
      ...collections.map(collectionStart),
    ]
  }

  async function resolvePath(
    view: TreeView,
    path: string,
    startItem?: StartItem,
  ): Promise<FoundRoute | undefined> {
    const starts = startItem ? [startItem] : await startItems(view)
    const steps = stepsOf(path)
    if (steps.length === 0) return startEntry(view, starts[0])
    const candidates = candidatesOf(starts, steps, startItem === undefined)
    return (await findPresent(view, candidates)) ?? (await findFormer(view, candidates))
  }

  /** Collections are no entries themselves. */
  async function startEntry(view: TreeView, start: StartItem | undefined) {
    if (start?.kind !== 'root') return undefined
    const placed = (await findDocuments(view, [start.id])).get(start.id)
    return placed && { ...placed, isFormer: false }
  }

  async function findPresent(view: TreeView, candidates: readonly Candidate[]) {
    const current = model()
    const rows = await findByPaths(reader, dialect, pathsOf(candidates), visible(view))
    const spots = shownSpots(current, view, rows)
    const above = await aboveOf(spots)
    for (const { start, path } of candidates) {
      const found = spots.find(
        (spot) => spot.path === path && startOf(current, above, spot).id === start.id,
      )
      if (found) return { ...toPlaced(current, above, found), isFormer: false }
    }
    return undefined
  }

  /** Below which start item it once stood nobody knows: the first path that leads anywhere counts. */
  async function findFormer(view: TreeView, candidates: readonly Candidate[]) {
    const current = model()
    const paths = pathsOf(candidates)
    const rows = await findByFormerPaths(reader, dialect, paths, visible(view))
    const spots = shownSpots(current, view, rows)
    const path = paths.find((each) => spots.some(({ row }) => row.former === each))
    const found = spots.find(({ row }) => row.former === path)
    return found && { ...toPlaced(current, await aboveOf([found]), found), isFormer: true }
  }

  async function findDocuments(view: TreeView, documentIds: readonly string[]) {
    if (documentIds.length === 0) return new Map<string, PlacedDocument>()
    const current = model()
    const ids = [...new Set(documentIds)]
    const rows = await findVariants(reader, dialect, ids, visible(view))
    const spots = shownSpots(current, view, rows)
    const above = await aboveOf(spots)
    return new Map(spots.map((spot) => [spot.documentId, toPlaced(current, above, spot)]))
  }

  async function routesOf(entries: readonly RoutedEntry[]): Promise<(entry: RoutedEntry) => Route> {
    const current = model()
    const above = await aboveOf(entries)
    return (entry) => routeOf(current, above, entry)
  }

  async function culturesOf(entries: readonly RoutedEntry[]) {
    const current = model()
    const ids = entries.filter(({ type }) => type.localized).map(({ documentId }) => documentId)
    const rows = await variantsOf([...new Set(ids)])
    const spots = rows.flatMap((row) => toSpot(current, row) ?? [])
    const above = await aboveOf(spots)
    const cultures = Map.groupBy(spots, ({ documentId }) => documentId)
    return ({ documentId }: RoutedEntry): ReadonlyMap<string, Route> => {
      const own = cultures.get(documentId) ?? []
      return new Map(own.map((spot) => [spot.locale ?? '', routeOf(current, above, spot)]))
    }
  }

  async function variantsOf(documentIds: readonly string[]): Promise<readonly SpotRow[]> {
    if (documentIds.length === 0) return []
    return findVariants(reader, dialect, documentIds, { liveOnly: true })
  }

  /** Most entries hang directly under their collection: of these nothing need be asked. */
  async function aboveOf(entries: readonly RoutedEntry[]): Promise<Above> {
    const parents = entries.flatMap(({ parent, isRoot }) => (isRoot || !parent ? [] : [parent]))
    if (parents.length === 0) return new Map()
    const rows = await findAbove(reader, dialect, [...new Set(parents)])
    return Map.groupBy(rows, ({ start }) => start)
  }
}

function toPlaced(model: ContentModel, above: Above, spot: Spot): PlacedDocument {
  const { type, documentId, locale } = spot
  return { type, documentId, locale, route: routeOf(model, above, spot) }
}

function visible({ state }: TreeView) {
  return { liveOnly: state === 'live' }
}

function pathsOf(candidates: readonly Candidate[]): readonly string[] {
  return [...new Set(candidates.map(({ path }) => path))]
}

/** Below each start item in turn; then, where the first step names a start item, below that one. */
function candidatesOf(
  starts: readonly StartItem[],
  steps: readonly string[],
  mayName: boolean,
): readonly Candidate[] {
  const below = starts.map((start) => ({ start, path: pathBelow(start, steps) }))
  const [first = '', ...rest] = steps
  const named = starts.filter(({ path }) => mayName && rest.length > 0 && path === first)
  return [...below, ...named.map((start) => ({ start, path: pathBelow(start, rest) }))]
}
