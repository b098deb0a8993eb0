import type { ContentType } from '../model.ts'
import type { CopyState, LocaleChoice } from '../query/ast.ts'

/** For whom the tree is looked at. */
export interface TreeView {
  /** `live`: entries that are live and below live ones only. */
  readonly state: CopyState
  readonly locale: LocaleChoice
  /** Entries of other types are not there. */
  exists(type: ContentType): boolean
}

/** Where routes begin: an entry marked as root, or the virtual root of a collection. */
export interface StartItem {
  readonly kind: 'root' | 'collection'
  /** documentId of the root entry, uuid of the type of a collection. */
  readonly id: string
  /** Without slashes: '' of a root entry, the plural name of a collection. */
  readonly path: string
  readonly type: ContentType
}

/** Where an entry stands, as content delivery shows it. */
export interface Route {
  /** From below the start item, with a slash at both ends: `/guides/first-steps/`. */
  readonly path: string
  readonly startItem: Pick<StartItem, 'id' | 'path'>
}

/** A document in the variant that the view shows. */
export interface PlacedDocument {
  readonly type: ContentType
  readonly documentId: string
  /** Null when the type is not localised. */
  readonly locale: string | null
  readonly route: Route
}

export interface FoundRoute extends PlacedDocument {
  /** The path asked for is one it had before: `route` says where it is now. */
  readonly isFormer: boolean
}

export interface ContentTree {
  /** Root entries by `sortOrder`, then the collections by creation. */
  startItems(view: TreeView): Promise<readonly StartItem[]>
  /**
   * The document at a path (decoded, slashes and case do not matter) below a start item, else below
   * the first start item that has it; undefined when there is none for this view.
   */
  resolvePath(view: TreeView, path: string, startItem?: StartItem): Promise<FoundRoute | undefined>
  /** Of documents by id, for links and relations; those that the view does not show are left out. */
  findDocuments(
    view: TreeView,
    documentIds: readonly string[],
  ): Promise<ReadonlyMap<string, PlacedDocument>>
  /** Of entries that were read already, all with one statement; entries may repeat. */
  routesOf(entries: readonly RoutedEntry[]): Promise<(entry: RoutedEntry) => Route>
  /** For localised documents the routes of their live variants by locale; {} for the others. */
  culturesOf(
    entries: readonly RoutedEntry[],
  ): Promise<(entry: RoutedEntry) => ReadonlyMap<string, Route>>
}

/** What is needed of an `Entry`. */
export interface RoutedEntry {
  readonly type: ContentType
  readonly documentId: string
  readonly locale: string | null
  readonly parent: string | null
  readonly isRoot: boolean
  readonly path: string | null
  readonly id: number
}
