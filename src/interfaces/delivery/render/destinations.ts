import type { MediaFile, PlacedDocument, TreeView, Viewer } from '#content'
import { isOneOf } from '#content-dialect'
import { type FoundPath, firstPage } from '#content-query'
import type { DeliveryContent } from '../deps.ts'
import { parseUuid } from '../target.ts'

/** Where links lead that stay inside the store: to an entry or to a file. */
type Destination =
  | { readonly kind: 'Content'; readonly document: PlacedDocument }
  | { readonly kind: 'Media'; readonly file: MediaFile }

/** What the target of a link says. */
type Href =
  | { readonly kind: 'id'; readonly id: string; readonly suffix: string }
  | { readonly kind: 'upload'; readonly hash: string; readonly suffix: string }
  | { readonly kind: 'path'; readonly path: string; readonly suffix: string }

/** `undefined`: it leads elsewhere. `gone`: to something that is not there for the caller. */
interface FollowedHref {
  readonly destination: Destination | 'gone' | undefined
  /** `?query` and `#anchor` behind it. */
  readonly suffix: string
}

export interface Destinations {
  ofDocument(documentId: string): PlacedDocument | undefined
  follow(href: string): FollowedHref
  /** Files are among what was looked for: their changes are no changes of a type. */
  readonly hasFiles: boolean
}

interface Deps {
  readonly content: Pick<DeliveryContent, 'model' | 'tree' | 'readFiles' | 'findPaths'>
  readonly prepareFiles: ReturnType<DeliveryContent['fileTemplates']>
  readonly viewer: Viewer
  readonly view: TreeView
  readonly locale: string | undefined
}

export interface Wanted {
  readonly documentIds: readonly string[]
  readonly hrefs: readonly string[]
}

/** As editors of other systems write a link that survives renaming: `/{localLink:<id>}`. */
const LOCAL_LINK = /^\/?\{localLink:(?:umb:\/\/[a-z]+\/)?([0-9a-f-]{32,36})\}(.*)$/i
const UPLOAD = /^\/uploads\/([^/?#.]+)(?:\.[^/?#]*)?([?#].*)?$/
const PATH = /^(\/(?!\/)[^?#]*)([?#].*)?$/
const MOST_FILES = 1_000
const NONE: ReadonlyMap<string, readonly FoundPath[]> = new Map()

export const NOWHERE: Destinations = {
  ofDocument: () => undefined,
  follow: () => ({ destination: undefined, suffix: '' }),
  hasFiles: false,
}

/** Looks up all links of an answer at once. */
export async function findDestinations(deps: Deps, wanted: Wanted): Promise<Destinations> {
  const { content, view } = deps
  const hrefs = new Map([...new Set(wanted.hrefs)].map((href) => [href, parseHref(href)]))
  const all = [...hrefs.values()].filter((href) => href !== undefined)
  const ids = all.flatMap((href) => (href.kind === 'id' ? [href.id] : []))
  const byPath = await findPaths(deps, all)
  const known = [...new Set([...wanted.documentIds, ...ids, ...byPath.values()])]
  const [documents, files] = await Promise.all([
    known.length > 0 ? content.tree.findDocuments(view, known) : new Map<string, PlacedDocument>(),
    findFiles(deps, all),
  ])
  const hasFiles = all.some(({ kind }) => kind !== 'path')
  return { ofDocument: (id) => documents.get(id), follow, hasFiles }

  function follow(written: string): FollowedHref {
    const href = hrefs.get(written)
    if (!href) return { destination: undefined, suffix: '' }
    return { destination: destinationOf(href), suffix: href.suffix }
  }

  function destinationOf(href: Href): Destination | 'gone' | undefined {
    if (href.kind === 'upload') return toMedia(files.get(href.hash))
    const id = href.kind === 'id' ? href.id : byPath.get(href.path)
    const document = id === undefined ? undefined : documents.get(id)
    if (document) return { kind: 'Content', document }
    return href.kind === 'id' ? (toMedia(files.get(href.id)) ?? 'gone') : undefined
  }
}

function toMedia(file: MediaFile | undefined): Destination | undefined {
  return file && { kind: 'Media', file }
}

function parseHref(href: string): Href | undefined {
  const [, local, behind = ''] = LOCAL_LINK.exec(href) ?? []
  const id = local === undefined ? undefined : parseUuid(local)
  if (id !== undefined) return { kind: 'id', id, suffix: behind }
  const [, hash, after = ''] = UPLOAD.exec(href) ?? []
  if (hash !== undefined) return { kind: 'upload', hash, suffix: after }
  const [, path, suffix = ''] = PATH.exec(href) ?? []
  return path === undefined ? undefined : { kind: 'path', path: normalise(path), suffix }
}

/** As the store keeps paths. */
function normalise(path: string): string {
  const trimmed = path.replace(/\/+$/, '') || '/'
  try {
    return decodeURIComponent(trimmed).normalize('NFC').toLowerCase()
  } catch {
    return trimmed.toLowerCase()
  }
}

/** The documents at the paths, in the language of the answer where there is one. */
async function findPaths(
  { content, locale }: Deps,
  hrefs: readonly Href[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Set(hrefs.flatMap((href) => (href.kind === 'path' ? [href.path] : [])))
  const found = paths.size > 0 ? await content.findPaths([...paths]) : NONE
  return new Map(
    [...found].map(([path, at]) => [path, (at.find(isSpoken) ?? at[0])?.documentId ?? '']),
  )

  function isSpoken(entry: FoundPath): boolean {
    return entry.locale === locale || entry.locale === null
  }
}

/** By uuid and by hash. */
async function findFiles(
  { content, viewer, prepareFiles }: Deps,
  hrefs: readonly Href[],
): Promise<ReadonlyMap<string, MediaFile>> {
  const ids = hrefs.flatMap((href) => (href.kind === 'id' ? [href.id] : []))
  const hashes = hrefs.flatMap((href) => (href.kind === 'upload' ? [href.hash] : []))
  if (ids.length + hashes.length === 0) return new Map()
  const prepared = prepareFiles(viewer, {
    ...{ model: content.model(), template: 'destinations', values: [ids, hashes] },
    read: ({ list }) => ({
      query: {
        filter: { kind: 'or', of: [isOneOf('uuid', list(0)), isOneOf('hash', list(1))] },
        ...{ search: '', sort: [], page: firstPage(MOST_FILES) },
      },
    }),
  })
  const { files } = await content.readFiles(prepared)
  return new Map(files.flatMap((file) => [[file.uuid, file] as const, [file.hash, file] as const]))
}
