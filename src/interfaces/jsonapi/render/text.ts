import type { ContentType, EntryText, PageText } from '#content'
import { isPlainField, type Relation, type Shape } from '../names.ts'
import { MAX_LINKAGE, type Wanted } from '../query/include.ts'
import { typeIdentifier, userIdentifier } from './entry.ts'
import type { View } from './view.ts'

type Parts = EntryText[number][]
type NamedParts = readonly [name: string, parts: Parts]

/**
 * The texts that `renderEntry` and `createIncluded` make of a page of live entries, for the store to
 * make; null where they need the entries. Of accounts the view's are known.
 */
export function pageText(
  type: ContentType,
  view: View,
  include: Wanted | undefined,
): PageText | null {
  const entry = entryText(type, view)
  const related = [...(include ?? [])].map(([name, below]) => {
    return below.size === 0 ? relatedText(type, name, view) : null
  })
  const known = related.filter((text) => text !== null)
  if (!entry || known.length < related.length) return null
  return { entry, related: known }
}

function relatedText(type: ContentType, name: string, view: View) {
  const { catalogue } = view
  const attribute = catalogue.shapeOf(type).relation.get(name)?.attribute
  const target = attribute?.type === 'relation' && catalogue.model.findType(attribute.target)
  const text = target ? entryText(target, view) : null
  return text && attribute ? { included: attribute.name, text } : null
}

function entryText(type: ContentType, view: View): EntryText | null {
  const shape = view.catalogue.shapeOf(type)
  const attributes = attributeTexts(type, shape, view)
  const relationships = relationshipTexts(type, shape, view)
  if (!attributes || !relationships) return null
  const of: Parts = [`${view.base}${shape.path}/`, { show: 'documentId' }]
  return [
    `{"type":"${shape.name}","id":"`,
    { show: 'documentId' },
    '","links":{"self":{"href":"',
    ...[...of, ...VERSION],
    '"}}',
    ...(attributes.length > 0 ? [',"attributes":{', ...attributes, '}'] : []),
    ...(relationships.length > 0 ? [',"relationships":{', ...relationships, '}'] : []),
    '}',
  ]
}

const VERSION: Parts = ['?resourceVersion=id%3A', { show: 'revisionId' }]

function attributeTexts(type: ContentType, shape: Shape, view: View): Parts | null {
  const only = view.fields.get(shape.name)
  const system = systemTexts(type, shape, view)
  if (!only) return shape.isPlain ? [...joined(system), { show: 'moreMembers' }] : null
  const fields = shape.fields.filter(({ wire }) => only.has(wire))
  if (!fields.every(isPlainField)) return null
  const own = fields.map(({ wire, attribute }): NamedParts => [wire, [member(attribute.name)]])
  return joined([...system.filter(([name]) => only.has(name)), ...own])
}

function systemTexts(type: ContentType, shape: Shape, { catalogue }: View): NamedParts[] {
  const { defaultLocale } = catalogue.model
  const { labelField } = shape
  const language: Parts = type.localized ? [{ show: 'locale' }] : [JSON.stringify(defaultLocale)]
  const isDefault: Parts = type.localized
    ? [{ of: 'locale', texts: { [defaultLocale]: 'true' }, others: 'false' }]
    : ['true']
  const label: NamedParts = [shape.label, [labelField === null ? 'null' : member(labelField)]]
  return [
    [shape.idName, [{ show: 'id' }]],
    [shape.revisionName, [{ show: 'revisionId' }]],
    ['langcode', language],
    ['default_langcode', isDefault],
    ['status', ['true']],
    ...(shape.isLabelField ? [] : [label]),
    ['created', [{ show: 'createdSeconds' }]],
    ['changed', [{ show: 'updatedSeconds' }]],
    ['revision_timestamp', [{ show: 'updatedSeconds' }]],
    ['revision_log', ['null']],
    ['revision_translation_affected', ['true']],
    ...(shape.label === 'title' ? PROMOTION : []),
    ['path', ['{"alias":', { show: 'path' }, ',"pid":', { show: 'id' }, ...langcode(language)]],
  ]
}

const PROMOTION: readonly NamedParts[] = [
  ['promote', ['false']],
  ['sticky', ['false']],
]

function langcode(language: Parts): Parts {
  return [',"langcode":', ...language, '}']
}

function member(name: string): Parts[number] {
  return { member: name, none: 'null' }
}

function relationshipTexts(type: ContentType, shape: Shape, view: View): Parts | null {
  const only = view.fields.get(shape.name)
  const of: Parts = [`${view.base}${shape.path}/`, { show: 'documentId' }]
  const shown = shape.relations.filter(({ wire }) => only?.has(wire) ?? true)
  const related = shown.map((relation) => linkageText(relation, view))
  if (related.includes(null)) return null
  const all: NamedParts[] = [
    ['node_type', ['"data":', typeIdentifier({ type }), ',']],
    ['uid', ['"data":', userText(view), ',']],
    ...shown.flatMap(({ wire }, at): NamedParts[] => {
      const linkage = related[at]
      return linkage ? [[wire, linkage]] : []
    }),
  ]
  const wanted = all.filter(([name]) => only?.has(name) ?? true)
  return joined(wanted.map(([name, data]) => [name, relationshipText(of, name, data)]))
}

function relationshipText(of: Parts, name: string, data: Parts): Parts {
  return [
    '{',
    ...data,
    '"links":{"related":{"href":"',
    ...[...of, `/${name}`, ...VERSION],
    '"},"self":{"href":"',
    ...[...of, `/relationships/${name}`, ...VERSION],
    '"}}}',
  ]
}

function userText(view: View): Parts[number] {
  const texts = [...view.users.keys()].map((no) => [no, userIdentifier({ createdBy: no }, view)])
  return { of: 'createdBy', texts: { null: 'null', ...Object.fromEntries(texts) }, others: null }
}

/** Undefined: the relation does not exist for the caller; null: its linkage is of something else. */
function linkageText({ attribute, many }: Relation, view: View): Parts | undefined | null {
  if (attribute.type !== 'relation') return null
  const { catalogue, mayRead } = view
  const target = catalogue.model.findType(attribute.target)
  if (!target || !mayRead(target)) return undefined
  const text: Parts = [
    `{"type":"${catalogue.shapeOf(target).name}","id":"`,
    { show: 'documentId' },
    '","meta":{"drupal_internal__target_id":',
    { show: 'id' },
    '}}',
  ]
  const [before, after] = many ? ['"data":[', '],'] : ['"data":', ',']
  const about = { included: attribute.name, none: many ? null : 'null', most: MAX_LINKAGE }
  return [{ ...about, before, text, after, absent: '' }]
}

function joined(members: readonly NamedParts[]): Parts {
  return members.flatMap(([name, parts], at) => [`${at === 0 ? '' : ','}"${name}":`, ...parts])
}
