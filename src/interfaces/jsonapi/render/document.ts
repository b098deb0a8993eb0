import type { Entry, MediaFile } from '#content'
import { jsonList } from '#content-dialect'
import type { ContentType } from '#content-model'
import { mayRead } from '#content-query'
import { hasAccess } from '#kernel'
import type { KnownUser } from '../deps.ts'
import type { Wanted } from '../query/include.ts'
import type { Page } from '../query/parameters.ts'
import type { Showing } from '../query/parse.ts'
import { displayName } from '../query/users.ts'
import { type Asked, selfOf } from '../request.ts'
import { bundleOf } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import { isWhole, linkageIn, linkedEntries, renderEntry } from './entry.ts'
import { renderFileResource, renderMedia } from './files.ts'
import { type Member, renderDocument, renderMembers, renderResource, type View } from './view.ts'

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

/** Gathers the resources of `included`: each once, and none that is primary data already. */
export function createIncluded(view: View) {
  const seen = new Set<string>()
  const texts: string[] = []
  return { skip, ofEntry, ofFile, addEntry, addFile, texts }

  /** Primary data. */
  function skip(type: string, id: string): void {
    seen.add(`${type} ${id}`)
  }

  function add(type: string, id: string, render: () => string): void {
    const key = `${type} ${id}`
    if (seen.has(key)) return
    seen.add(key)
    texts.push(render())
  }

  /** What the relationships of an entry lead to. */
  function ofEntry(entry: Entry, wanted: Wanted): void {
    if (wanted.size === 0) return
    const { relation } = view.catalogue.namesOf(entry.type)
    for (const [name, below] of wanted) {
      if (name === 'uid') addUser(entry)
      else if (name === 'node_type') addType(entry)
      else {
        const named = relation.get(name)
        if (named) addRelated(entry, named, below)
      }
    }
  }

  function addRelated(entry: Entry, relation: Relation, below: Wanted): void {
    const found = entry.included.get(relation.attribute.name)
    const linked = linkageIn(entry, relation)
    // Spec: what is included is linked, and a list that is too long is given by its links alone.
    if (!found || !linked || !isWhole(found) || !isWhole(linked)) return
    for (const each of linkedEntries(entry, relation)) addEntry(each, below)
    if (found.kind === 'file' && found.file) addFile(found.file, below)
    if (found.kind === 'files') for (const each of found.files) addFile(each, below)
  }

  function addEntry(entry: Entry, below: Wanted): void {
    const { name } = view.catalogue.namesOf(entry.type)
    add(name, entry.documentId, () => renderEntry(entry, view))
    ofEntry(entry, below)
  }

  function addFile(file: MediaFile, below: Wanted): void {
    add(`media--${bundleOf(file).bundle}`, file.uuid, () => renderMedia(file, view))
    ofFile(file, below)
  }

  /** From an item of the library to its file. */
  function ofFile(file: MediaFile, wanted: Wanted): void {
    if (!wanted.has(bundleOf(file).fileField)) return
    add('file--file', file.uuid, () => renderFileResource(file, view))
  }

  function addUser({ createdBy }: Entry): void {
    const user = createdBy === null ? undefined : view.users.get(createdBy)
    if (user) add('user--user', user.uuid, () => renderUser(user, view))
  }

  function addType({ type }: Entry): void {
    add('node_type--node_type', type.uuid, () => renderNodeType(type, view))
  }
}

/** An account: its address only to itself and to administrators (contract §1). */
export function renderUser(user: KnownUser, view: View): string {
  const type = 'user--user'
  const members: Member[] = [
    ['display_name', JSON.stringify(displayName(user))],
    ['drupal_internal__uid', String(user.id)],
    ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
    ...(view.maySeeAddress(user) ? [['mail', JSON.stringify(user.email)] as const] : []),
  ]
  const self = `${view.base}/user/user/${user.uuid}`
  const attributes = renderMembers(view, type, members)
  return renderResource({ type, id: user.uuid, self, attributes })
}

/** A content type itself. */
export function renderNodeType(contentType: ContentType, view: View): string {
  const type = 'node_type--node_type'
  const { uuid, bundle, entityType, displayName: name, description } = contentType
  const members: Member[] = [
    ['drupal_internal__type', JSON.stringify(bundle)],
    ['entity_type', JSON.stringify(entityType)],
    ['name', JSON.stringify(name)],
    ['description', JSON.stringify(description)],
    ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
    ['status', 'true'],
  ]
  const self = `${view.base}/node_type/node_type/${uuid}`
  const attributes = renderMembers(view, type, members)
  return renderResource({ type, id: uuid, self, attributes })
}
