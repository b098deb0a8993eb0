import { type Entry, type Included, isShown, type MediaFile, type Part } from '#content'
import { type Component, holdsComponents, isScalar } from '#content-model'
import { linkageName } from '../query/include.ts'
import { bundleOf, type Catalogue } from '../target/catalogue.ts'
import type { Names, Relation } from '../target/names.ts'
import { mediaIdentifier } from './files.ts'
import { renderValue } from './values.ts'
import {
  isWanted,
  Members,
  renderIdentifier,
  renderNumbered,
  renderRelationship,
  renderResource,
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
    add(relation.wire, linkageOf(view.catalogue, relation, linkageIn(entry, relation)))
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

/** What was loaded of a relationship to say what it leads to: drafts too, where the caller may read them. */
export function linkageIn(
  { included }: Entry,
  { attribute }: Pick<Relation, 'attribute'>,
): Included | undefined {
  return included.get(linkageName(attribute)) ?? included.get(attribute.name)
}

/** The entries that were loaded of a relationship; Spec: what is included is linked. */
export function linkedEntries(entry: Entry, relation: Relation): readonly Entry[] {
  const found = entry.included.get(relation.attribute.name)
  const linked = linkageIn(entry, relation)
  const ids = linked?.kind === 'ids' && new Set(linked.ids.map(({ documentId }) => documentId))
  return entriesOf(found).filter(({ documentId }) => !ids || ids.has(documentId))
}

export function entriesOf(included: Included | undefined): readonly Entry[] {
  if (included?.kind === 'entries') return included.entries
  return included?.kind === 'entry' && included.entry ? [included.entry] : []
}

/** Undefined where only a part is known: what is sent back must not cut a relationship short. */
function linkageOf(
  catalogue: Catalogue,
  relation: Relation,
  included: Included | undefined,
): string | undefined {
  return included && isWhole(included) ? identifiersIn(catalogue, relation, included) : undefined
}

/** Whether a list was loaded to its end. */
export function isWhole(included: Included): boolean {
  switch (included.kind) {
    case 'entries':
      return included.total <= included.entries.length
    case 'files':
      return included.total <= included.files.length
    case 'ids':
      return included.total <= included.ids.length
    default:
      return true
  }
}

/** The identifiers of what was loaded of a relationship. */
export function identifiersIn(
  catalogue: Catalogue,
  relation: Relation,
  included: Included | undefined,
): string {
  const identifiers = included ? identifiersOf(catalogue, relation, included) : []
  return relation.many ? `[${identifiers.join(',')}]` : (identifiers[0] ?? 'null')
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

function renderPart(catalogue: Catalogue, part: Part): string {
  return `{${[`"id":${part.id}`, ...membersOf(catalogue, part)].join(',')}}`
}

/** In a zone there are several kinds, so each says which it is beside its attributes, not among them. */
function renderBlock(catalogue: Catalogue, part: Part): string {
  const type = JSON.stringify(part.component.uid)
  const attributes = membersOf(catalogue, part).join(',')
  return `{"type":${type},"id":${part.id},"attributes":{${attributes}}}`
}

/** A component: its values as those of an entry, what it refers to as identifiers, unless its type may not be read. */
function membersOf(catalogue: Catalogue, part: Part): readonly string[] {
  const values = part.values()
  const shown = part.component.attributes.filter(
    (attribute) => isShown(attribute) && (isScalar(attribute) || part.included.has(attribute.name)),
  )
  return shown.map((attribute) => {
    const included = part.included.get(attribute.name)
    const json = isScalar(attribute)
      ? renderValue(attribute, values[attribute.name], part.formats[attribute.name])
      : renderReferred(catalogue, part.component, attribute.name, included)
    return `${JSON.stringify(attribute.name)}:${json}`
  })
}

function renderReferred(
  catalogue: Catalogue,
  component: Component,
  name: string,
  included: Included | undefined,
): string {
  if (!included) return 'null'
  if (included.kind === 'part' || included.kind === 'parts') return renderParts(catalogue, included)
  if (included.kind !== 'ids') return 'null'
  const attribute = component.attribute.get(name)
  const found = included.ids.map(({ documentId, mime }) => ({
    type: typeName(catalogue, attribute, mime),
    id: documentId,
  }))
  const isMany =
    attribute?.type === 'relation'
      ? attribute.relation.endsWith('Many')
      : attribute?.type === 'media' && attribute.multiple
  return JSON.stringify(isMany ? found : (found[0] ?? null))
}

function typeName(
  catalogue: Catalogue,
  attribute: ReturnType<Component['attribute']['get']>,
  mime: string | undefined,
): string {
  if (attribute?.type !== 'relation') return `media--${bundleOf({ mime: mime ?? '' }).bundle}`
  const type = catalogue.model.findType(attribute.target)
  return type ? catalogue.namesOf(type).name : attribute.target
}

function renderParts(catalogue: Catalogue, included: Included | undefined): string {
  if (included?.kind === 'part') {
    return included.part ? renderPart(catalogue, included.part) : 'null'
  }
  if (included?.kind === 'zone') {
    return `[${included.parts.map((part) => renderBlock(catalogue, part)).join(',')}]`
  }
  if (included?.kind !== 'parts') return 'null'
  return `[${included.parts.map((part) => renderPart(catalogue, part)).join(',')}]`
}
