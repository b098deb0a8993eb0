import type { Entry, Included, MediaFile } from '#content'
import { bundleOf, type Catalogue } from '../catalogue.ts'
import type { Relation, Shape } from '../names.ts'
import { MAX_LINKAGE } from '../query/include.ts'
import { mediaIdentifier } from './files.ts'
import { renderParts, renderValue } from './values.ts'
import {
  isWanted,
  type Member,
  renderIdentifier,
  renderMembers,
  renderRelationship,
  renderResource,
  renderSeconds,
  type View,
} from './view.ts'

export function renderEntry(entry: Entry, view: View): string {
  const shape = view.catalogue.shapeOf(entry.type)
  const of = `${view.base}${shape.path}/${entry.documentId}`
  const version = versionOf(entry)
  return renderResource({
    type: shape.name,
    id: entry.documentId,
    self: `${of}${version}`,
    attributes: renderAttributes(entry, shape, view),
    relationships: renderMembers(
      view,
      shape.name,
      relationshipsOf(entry, shape, view, of, version),
    ),
  })
}

function versionOf({ revisionId }: Entry): string {
  return `?resourceVersion=id%3A${revisionId}`
}

function renderAttributes(entry: Entry, shape: Shape, view: View): string {
  const system = systemMembers(entry, shape, view)
  if (shape.isPlain && !view.fields.has(shape.name)) {
    const own = entry.json.slice(1, -1)
    const members = renderMembers(view, shape.name, system)
    return own === '' ? members : `${members},${own}`
  }
  const values = entry.values()
  const own = shape.fields
    .filter(({ wire }) => isWanted(view, shape.name, wire))
    .map(({ wire, attribute }): Member => {
      const { name } = attribute
      if (attribute.type === 'component') {
        return [wire, renderParts(view.catalogue, entry.included.get(name))]
      }
      const format = attribute.type === 'richtext' ? entry.formats[name] : undefined
      return [wire, renderValue(attribute, values[name], format)]
    })
  return renderMembers(view, shape.name, [...system, ...own])
}

function systemMembers(entry: Entry, shape: Shape, { catalogue }: View): Member[] {
  const { defaultLocale } = catalogue.model
  const langcode = entry.locale ?? defaultLocale
  const changed = renderSeconds(entry.updatedAtMs)
  const isNode = shape.label === 'title'
  return [
    [shape.idName, String(entry.id)],
    [shape.revisionName, String(entry.revisionId)],
    ['langcode', JSON.stringify(langcode)],
    ['default_langcode', String(langcode === defaultLocale)],
    ['status', String(entry.status !== 'draft')],
    ...(shape.isLabelField ? [] : [labelMember(entry, shape)]),
    ['created', renderSeconds(entry.createdAtMs)],
    ['changed', changed],
    ['revision_timestamp', changed],
    ['revision_log', 'null'],
    ['revision_translation_affected', 'true'],
    ...(isNode ? FLAGS : []),
    ['path', JSON.stringify({ alias: entry.path, pid: entry.id, langcode })],
  ]
}

const FLAGS: readonly Member[] = [
  ['promote', 'false'],
  ['sticky', 'false'],
]

function labelMember(entry: Entry, { label, labelField }: Shape): Member {
  const value = labelField === null ? null : entry.values()[labelField]
  return [label, JSON.stringify(value ?? null)]
}

function relationshipsOf(
  entry: Entry,
  shape: Shape,
  view: View,
  of: string,
  version: string,
): Member[] {
  const own = shape.relations.flatMap((relation): Member[] => {
    if (!isWanted(view, shape.name, relation.wire)) return []
    if (!mayShow(view, entry, relation)) return []
    const data = linkageOf(view.catalogue, relation, entry.included.get(relation.attribute.name))
    return [[relation.wire, renderRelationship({ of, name: relation.wire, version, data })]]
  })
  const type = typeIdentifier(entry)
  const user = userIdentifier(entry, view)
  return [
    ['node_type', renderRelationship({ of, name: 'node_type', version, data: type })],
    ['uid', renderRelationship({ of, name: 'uid', version, data: user })],
    ...own,
  ]
}

/** A type that the caller may not read does not exist for it (content model §9). */
function mayShow({ catalogue, mayRead }: View, entry: Entry, { attribute }: Relation): boolean {
  if (attribute.type !== 'relation' || entry.included.has(attribute.name)) return true
  const target = catalogue.model.findType(attribute.target)
  return target !== undefined && mayRead(target)
}

export function typeIdentifier({ type }: Entry): string {
  const meta = { drupal_internal__target_id: type.bundle }
  return renderIdentifier({ type: 'node_type--node_type', id: type.uuid, meta })
}

export function userIdentifier({ createdBy }: Entry, { users }: View): string {
  const user = createdBy === null ? undefined : users.get(createdBy)
  if (!user) return 'null'
  const meta = { drupal_internal__target_id: user.id }
  return renderIdentifier({ type: 'user--user', id: user.uuid, meta })
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
        const meta = { drupal_internal__target_id: id }
        return renderIdentifier({ type: name, id: documentId, meta })
      })
    }
    default:
      return []
  }
}

function nameOf(catalogue: Catalogue, target: string): string {
  const type = catalogue.model.findType(target)
  return type ? catalogue.shapeOf(type).name : target
}

function entryIdentifier(catalogue: Catalogue, { type, id, documentId }: Entry): string {
  const meta = { drupal_internal__target_id: id }
  return renderIdentifier({ type: catalogue.shapeOf(type).name, id: documentId, meta })
}

function fileIdentifier(file: MediaFile): string {
  return mediaIdentifier(file)
}
