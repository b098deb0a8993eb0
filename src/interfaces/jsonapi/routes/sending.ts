import { hash } from 'node:crypto'
import type { ContentType, Entry } from '#content'
import { DomainError, hasAccess } from '#kernel'
import type { KnownUser } from '../deps.ts'
import type { Page } from '../query/page.ts'
import type { Showing } from '../query/parse.ts'
import { renderDocument } from '../render/document.ts'
import { renderEntry } from '../render/entry.ts'
import { createIncluded } from '../render/included.ts'
import type { View } from '../render/view.ts'
import { type Asked, selfOf } from '../request.ts'

export function viewOf(
  { request, catalogue, base, viewer }: Asked,
  { fields }: Showing,
  users: ReadonlyMap<number, KnownUser>,
): View {
  const { actor } = request
  return {
    catalogue,
    base: JSON.stringify(base).slice(1, -1),
    fields,
    users,
    mayRead: (type: ContentType) => viewer.level !== null || type.publicRead,
    maySeeAddress: ({ id }) => actor !== null && (actor.userId === id || hasAccess(actor, 'admin')),
  }
}

/** One entry as a document. */
export function renderOne(asked: Asked, view: View, showing: Showing, entry: Entry): string {
  const included = createIncluded(view)
  included.skip(view.catalogue.namesOf(entry.type).name, entry.documentId)
  if (showing.include) included.ofEntry(entry, showing.include)
  return renderDocument({
    data: renderEntry(entry, view),
    included: showing.include && included.texts,
    links: { self: selfOf(asked) },
  })
}

/** A list of entries as a document. */
export function renderMany(
  asked: Asked,
  view: View,
  showing: Showing,
  entries: readonly Entry[],
  about: About,
): string {
  const included = createIncluded(view)
  for (const { type, documentId } of entries) {
    included.skip(view.catalogue.namesOf(type).name, documentId)
  }
  const { include } = showing
  if (include) for (const entry of entries) included.ofEntry(entry, include)
  return renderDocument({
    data: `[${entries.map((entry) => renderEntry(entry, view)).join(',')}]`,
    included: include && included.texts,
    ...aroundList(asked, about),
  })
}

interface About {
  readonly page: Page
  readonly total: number
}

function aroundList(asked: Asked, { page, total }: About) {
  return { meta: { count: total }, links: pageLinks(asked, page, total) }
}

/** Contract §6.3: each keeps all other parameters and names the limit that was applied. */
export function pageLinks(
  asked: Asked,
  { offset, limit }: Page,
  total: number,
): Record<string, string> {
  const self = selfOf(asked)
  const [path = ''] = self.split('?', 1)
  const others = asked.query
    .split('&')
    .filter((pair) => pair !== '' && !/^page(?:\[|%5b)/i.test(pair))
  const at = (start: number) => {
    const page = [`page%5Boffset%5D=${start}`, `page%5Blimit%5D=${limit}`]
    return `${path}?${[...others, ...page].join('&')}`
  }
  const lastStart = Math.max(0, Math.ceil(total / limit) - 1) * limit
  return {
    self,
    ...(offset > 0 ? { first: at(0), prev: at(Math.max(0, offset - limit)) } : {}),
    ...(offset + limit < total ? { next: at(offset + limit) } : {}),
    ...(total > limit ? { last: at(lastStart) } : {}),
  }
}

const OURS = /^"(\d+)-(\d+)-[\w-]{8}(?:-(?:br|gzip))?"$/

/** The strong tag of an entry: its number and version, which `If-Match` compares, and the bytes. */
export function entryTag({ id, version }: Entry, body: string): string {
  return `"${id}-${version}-${hash('sha256', body, 'base64url').slice(0, 8)}"`
}

/** The version a change may be made to; undefined: any. Throws when the entry has moved on. */
export function expectedVersion(ifMatch: string | undefined, entry: Entry): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  const isCurrent = ifMatch.split(',').some((tag) => {
    const [, id, version] = OURS.exec(tag.trim()) ?? []
    return Number(id) === entry.id && Number(version) === entry.version
  })
  if (isCurrent) return entry.version
  throw new DomainError('stale', 'precondition_failed', 'The entry has changed since it was read')
}

/** Accounts are shown: what they show of themselves depends on who asks. */
export function isUserShown({ include }: Showing): boolean {
  return include !== undefined && mentions(include, 'uid')
}

function mentions(wanted: NonNullable<Showing['include']>, name: string): boolean {
  return [...wanted].some(([key, below]) => key === name || mentions(below, name))
}
