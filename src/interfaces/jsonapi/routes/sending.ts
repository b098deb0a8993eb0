import type { Entry } from '#content'
import { jsonList } from '#content-dialect'
import { mayRead } from '#content-query'
import { hasAccess } from '#kernel'
import type { KnownUser } from '../deps.ts'
import type { Page } from '../query/parameters.ts'
import type { Showing } from '../query/parse.ts'
import { renderEntry } from '../render/entry.ts'
import { createIncluded } from '../render/included.ts'
import { renderDocument, type View } from '../render/view.ts'
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
    mayRead: (type) => mayRead(viewer, type),
    maySeeAddress: ({ id }) => actor !== null && (actor.userId === id || hasAccess(actor, 'admin')),
  }
}

/** One entry as a document. */
export function renderOne(asked: Asked, view: View, showing: Showing, entry: Entry): string {
  const included = includedBy(view, showing, [entry])
  return renderDocument({
    data: renderEntry(entry, view),
    included,
    links: { self: selfOf(asked) },
  })
}

/** A list of entries as a document. */
export function renderMany(
  asked: Asked,
  view: View,
  showing: Showing,
  entries: readonly Entry[],
  { page, total }: { readonly page: Page; readonly total: number },
): string {
  const included = includedBy(view, showing, entries)
  const data = jsonList(entries, (entry) => renderEntry(entry, view))
  const links = pageLinks(asked, page, total)
  return renderDocument({ data, included, meta: { count: total }, links })
}

/** Undefined when nothing was asked to be included. */
function includedBy(view: View, { include }: Showing, entries: readonly Entry[]) {
  if (!include) return undefined
  const included = createIncluded(view)
  for (const { type, documentId } of entries) {
    included.skip(view.catalogue.namesOf(type).name, documentId)
  }
  for (const entry of entries) included.ofEntry(entry, include)
  return included.texts
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

/** Accounts are shown: what they show of themselves depends on who asks. */
export function isUserShown({ include }: Showing): boolean {
  return include !== undefined && mentions(include, 'uid')
}

function mentions(wanted: NonNullable<Showing['include']>, name: string): boolean {
  return [...wanted].some(([key, below]) => key === name || mentions(below, name))
}
