import type { JsonValue, PlacedDocument } from '#content'
import { isObject } from '#kernel'
import type { Destinations } from './destinations.ts'
import { mediaTypeOf } from './media.ts'

/** The value of a link as it is stored. */
export interface StoredLink {
  readonly url: string | null
  readonly title: string | null
  readonly target: string | null
  readonly entry: string | null
}

export function toLink(value: JsonValue | undefined): StoredLink | undefined {
  if (!isObject(value)) return undefined
  const members = new Map<string, unknown>(Object.entries(value))
  const text = (name: string) => {
    const member = members.get(name)
    return typeof member === 'string' ? member : null
  }
  return { url: text('url'), title: text('title'), target: text('target'), entry: text('entry') }
}

/** The members of a link to an entry, wherever it is written. */
function contentLink({ documentId, type, route }: PlacedDocument) {
  return {
    destinationId: documentId,
    destinationType: type.singularName,
    route: { path: route.path, startItem: { id: route.startItem.id, path: route.startItem.path } },
    linkType: 'Content',
  } as const
}

/** Inside rich text, where the query belongs to the route (contract, changes after 0.1). */
export function routedLink(document: PlacedDocument, suffix: string) {
  const { route, ...link } = contentLink(document)
  return {
    ...link,
    route: {
      path: route.path,
      queryString: suffix === '' ? null : suffix,
      startItem: route.startItem,
    },
  }
}

/** A list of one link, or of none: an entry that is not there for the caller is no link. */
export function renderLink(value: JsonValue | undefined, links: Destinations): string {
  const link = toLink(value)
  if (!link) return '[]'
  const { url, title, target, entry } = link
  const own = { title, target }
  if (entry !== null) {
    const document = links.ofDocument(entry)
    const queryString = url?.startsWith('?') || url?.startsWith('#') ? url : null
    return document
      ? JSON.stringify([{ url: null, queryString, ...own, ...contentLink(document) }])
      : '[]'
  }
  return JSON.stringify([{ ...own, ...elsewhere(url ?? '', links) }])
}

function elsewhere(url: string, links: Destinations) {
  const { destination, suffix } = links.follow(url)
  const queryString = suffix === '' ? null : suffix
  if (typeof destination === 'object' && destination.kind === 'Content') {
    return { url: null, queryString, ...contentLink(destination.document) }
  }
  if (typeof destination === 'object') {
    const { file } = destination
    return { url: file.url, queryString, ...mediaLink(file), route: null }
  }
  return {
    ...{ url, queryString: null, destinationId: null, destinationType: null, route: null },
    linkType: 'External',
  }
}

export function mediaLink(file: { readonly uuid: string; readonly mime: string }) {
  return {
    destinationId: file.uuid,
    destinationType: mediaTypeOf(file),
    linkType: 'Media',
  } as const
}
