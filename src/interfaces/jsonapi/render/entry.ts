import type { Entry, Included, MediaFile } from '#content'
import { holdsComponents } from '#content-model'
import { MAX_LINKAGE } from '../query/include.ts'
import { bundleOf, type Catalogue } from '../target/catalogue.ts'
import type { Names, Relation } from '../target/names.ts'
import { mediaIdentifier } from './files.ts'
import { renderParts } from './parts.ts'
import { renderResource } from './resource.ts'
import { renderValue } from './values.ts'
import {
  isWanted,
  Members,
  renderIdentifier,
  renderNumbered,
  renderRelationship,
  renderSeconds,
  type View,
} from './view.ts'

export function renderEntry(entry: Entry, view: View): string {
  const names = view.catalogue.namesOf(entry.type)
  const of = `${view.base}${names.path}/${entry.documentId}`
  const version = versionOf(entry)
  return renderResource({
    type: names.name,
    id: entry.documentId,
    self: `${of}${version}`,
    attributes: renderAttributes(entry, names, view),
    relationships: renderRelationships(entry, names, view, of, version),
  })
}

function versionOf({ revisionId }: Entry): string {
  return `?resourceVersion=id%3A${revisionId}`
}

function renderAttributes(entry: Entry, names: Names, view: View): string {
  const to = new Members(view, names.name)
  addSystemMembers(to, entry, names, view)
  if (names.isPlain && !view.fields.has(names.name)) {
    const own = entry.json.slice(1, -1)
    return own === '' ? to.text : `${to.text},${own}`
  }
  addFields(to, entry, names, view)
  return to.text
}

function addFields(to: Members, entry: Entry, names: Names, view: View): void {
  const values = entry.values()
  for (const { wire, attribute } of names.fields) {
    if (!isWanted(view, names.name, wire)) continue
    const { name } = attribute
    to.add(
      wire,
      holdsComponents(attribute)
        ? renderParts(view.catalogue, entry.included.get(name))
        : renderValue(attribute, values[name], entry.formats[name]),
    )
  }
}

function addSystemMembers(to: Members, entry: Entry, names: Names, { catalogue }: View): void {
  const { defaultLocale } = catalogue.model
  const { id, createdAtMs, updatedAtMs } = entry
  const langcode = entry.locale ?? defaultLocale
  const language = JSON.stringify(langcode)
  const changed = renderSeconds(updatedAtMs)
  to.add(names.idName, String(id))
  to.add(names.revisionName, String(entry.revisionId))
  to.add('langcode', language)
  to.add('default_langcode', String(langcode === defaultLocale))
  to.add('status', String(entry.status !== 'draft'))
  if (!names.isLabelField) to.add(names.label, renderLabel(entry, names))
  to.add('created', createdAtMs === updatedAtMs ? changed : renderSeconds(createdAtMs))
  to.add('changed', changed)
  to.add('revision_timestamp', changed)
  to.add('revision_log', 'null')
  to.add('revision_translation_affected', 'true')
  if (names.label === 'title') {
    to.add('promote', 'false')
    to.add('sticky', 'false')
  }
  to.add('path', `{"alias":${JSON.stringify(entry.path)},"pid":${id},"langcode":${language}}`)
}

function renderLabel(entry: Entry, { labelField }: Names): string {
  const value = labelField === null ? null : entry.values()[labelField]
  return JSON.stringify(value ?? null)
}

function renderRelationships(
  entry: Entry,
  names: Names,
  view: View,
  of: string,
  version: string,
): string {
  const to = new Members(view, names.name)
  const add = (name: string, data: string | undefined) =>
    to.add(name, renderRelationship({ of, name, version, data }))
  add('node_type', typeIdentifier(entry))
  add('uid', userIdentifier(entry, view))
  for (const relation of names.relations) {
    if (!isWanted(view, names.name, relation.wire) || !mayShow(view, entry, relation)) continue
    const included = entry.included.get(relation.attribute.name)
    add(relation.wire, linkageOf(view.catalogue, relation, included))
  }
  return to.text
}

/** A type that the caller may not read does not exist for it (content model §9). */
function mayShow({ catalogue, mayRead }: View, entry: Entry, { attribute }: Relation): boolean {
  if (attribute.type !== 'relation' || entry.included.has(attribute.name)) return true
  const target = catalogue.model.findType(attribute.target)
  return target !== undefined && mayRead(target)
}

export function typeIdentifier({ type }: Pick<Entry, 'type'>): string {
  const meta = { drupal_internal__target_id: type.bundle }
  return renderIdentifier({ type: 'node_type--node_type', id: type.uuid, meta })
}

export function userIdentifier(
  { createdBy }: Pick<Entry, 'createdBy'>,
  { users }: Pick<View, 'users'>,
): string {
  const user = createdBy === null ? undefined : users.get(createdBy)
  if (!user) return 'null'
  return renderNumbered('user--user', user.uuid, user.id)
}

/** Undefined where it was not loaded, or is too long to be given here. */
export function linkageOf(
  catalogue: Catalogue,
  relation: Relation,
  included: Included | undefined,
): string | undefined {
  if (!included) return undefined
  const identifiers = identifiersOf(catalogue, relation, included)
  if (!relation.many) return identifiers[0] ?? 'null'
  if (included.kind === 'ids' && included.total > MAX_LINKAGE) return undefined
  return `[${identifiers.join(',')}]`
}

function identifiersOf(
  catalogue: Catalogue,
  { attribute }: Relation,
  included: Included,
): readonly string[] {
  switch (included.kind) {
    case 'entry':
      return included.entry ? [entryIdentifier(catalogue, included.entry)] : []
    case 'entries':
      return included.entries.map((entry) => entryIdentifier(catalogue, entry))
    case 'file':
      return included.file ? [fileIdentifier(included.file)] : []
    case 'files':
      return included.files.map(fileIdentifier)
    case 'ids': {
      const type = attribute.type === 'relation' ? nameOf(catalogue, attribute.target) : undefined
      return included.ids.map(({ id, documentId, mime }) => {
        const name = type ?? `media--${bundleOf({ mime: mime ?? '' }).bundle}`
        return renderNumbered(name, documentId, id)
      })
    }
    default:
      return []
  }
}

function nameOf(catalogue: Catalogue, target: string): string {
  const type = catalogue.model.findType(target)
  return type ? catalogue.namesOf(type).name : target
}

function entryIdentifier(catalogue: Catalogue, { type, id, documentId }: Entry): string {
  return renderNumbered(catalogue.namesOf(type).name, documentId, id)
}

function fileIdentifier(file: MediaFile): string {
  return mediaIdentifier(file)
}
