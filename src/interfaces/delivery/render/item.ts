import {
  type Entry,
  type Included,
  type JsonValue,
  type Part,
  type WireKind,
  wireKindOf,
} from '#content'
import { renderBlocks } from '#content-dialect'
import type { Attribute, ScalarAttribute } from '#content-model'
import { below, PLAIN, type Showing } from '../query/includes.ts'
import { renderLink } from './links.ts'
import { renderFile, renderFileProperties } from './media.ts'
import type { RichText } from './rich-text.ts'
import { namesOf, renderDate, type View } from './view.ts'

/** A whole item, with the routes of its other cultures (contract §4). */
export function renderItem(entry: Entry, view: View, showing: Showing): string {
  return renderRelated(entry, view, showing, `,"cultures":${view.culturesOf(entry)}`)
}

/** An item inside another; `showing` undefined: without its properties. */
function renderRelated(entry: Entry, view: View, showing: Showing | undefined, more = ''): string {
  view.count()
  const { type, documentId, createdAtMs, updatedAtMs } = entry
  const properties = showing ? renderProperties(entry, view, showing) : '{}'
  const named = `"contentType":${JSON.stringify(type.singularName)},"name":${nameOf(entry)}`
  const dates = `"createDate":${renderDate(createdAtMs)},"updateDate":${renderDate(updatedAtMs)}`
  const rest = `"route":${view.routeOf(entry)},"id":"${documentId}","properties":${properties}`
  return `{${named},${dates},${rest}${more}}`
}

/** Entries of types without a display name are called by their slug, else by their number. */
function nameOf(entry: Entry): string {
  const { displayField, slugField } = entry.type
  const values = entry.values()
  const named = displayField === null ? undefined : values[displayField]
  if (displayField !== null) return JSON.stringify(named ?? '')
  const slug = slugField === null ? undefined : values[slugField]
  return JSON.stringify(String(slug ?? entry.id))
}

type Owner = Entry | Part

function renderProperties(owner: Owner, view: View, showing: Showing): string {
  const set = 'type' in owner ? owner.type : owner.component
  const values = owner.values()
  let members = ''
  for (const { key, attribute } of namesOf(set).properties) {
    const shown = showing === PLAIN ? UNEXPANDED : below(showing, attribute.name)
    if (!shown) continue
    const value = values[attribute.name]
    if (members !== '') members += ','
    members += `${key}${renderProperty(owner, attribute, value, view, shown)}`
  }
  return `{${members}}`
}

type Below = NonNullable<ReturnType<typeof below>>
const UNEXPANDED: Below = { isExpanded: false, showing: PLAIN }

function renderProperty(
  owner: Owner,
  attribute: Attribute,
  value: JsonValue | undefined,
  view: View,
  shown: Below,
): string {
  switch (attribute.type) {
    case 'relation':
      return renderRelation(attribute, owner.included.get(attribute.name), view, shown)
    case 'media':
      return renderFiles(owner.included.get(attribute.name), view, shown)
    case 'component':
      return renderParts(attribute.repeatable, owner.included.get(attribute.name), view, shown)
    case 'dynamiczone':
      return renderParts(true, owner.included.get(attribute.name), view, shown)
    default:
      return VALUES[wireKindOf(attribute)](value, view, owner, attribute)
  }
}

type RenderValue = (
  value: JsonValue | undefined,
  view: View,
  owner: Owner,
  attribute: ScalarAttribute,
) => string

const asStored: RenderValue = (value) => JSON.stringify(value ?? null)

const VALUES: Readonly<Record<WireKind, RenderValue>> = {
  text: asStored,
  markup: renderRichText,
  blocks: renderRichText,
  secret: () => 'null',
  integer: asStored,
  bigInteger: (value) => String(value ?? null),
  decimal: asStored,
  float: asStored,
  boolean: (value) => String(value === true),
  date: asStored,
  time: asStored,
  datetime: asStored,
  json: asStored,
  words: (value) => JSON.stringify(value ?? []),
  link: (value, { links }) => renderLink(value, links),
}

function renderRichText(
  value: JsonValue | undefined,
  { richTexts, links }: View,
  owner: Owner,
  attribute: ScalarAttribute,
): string {
  return richTexts.render(richTextOf(owner, attribute, value), links)
}

/** A value of rich text, whatever it is stored as; undefined where there is none. */
export function richTextOf(
  owner: Owner,
  attribute: ScalarAttribute,
  value: JsonValue | undefined,
): RichText | undefined {
  if (Array.isArray(value)) return { text: renderBlocks(value), format: 'full_html' }
  if (typeof value !== 'string' || value === '') return undefined
  return { text: value, format: formatOf(owner, attribute) }
}

/** The format that is stored with a value, else that of its attribute. */
function formatOf(
  owner: Owner,
  attribute: { readonly name: string; readonly format?: string },
): string {
  return owner.formats[attribute.name] ?? attribute.format ?? 'basic_html'
}

function renderRelation(
  attribute: Extract<Attribute, { type: 'relation' }>,
  included: Included | undefined,
  view: View,
  { isExpanded, showing }: Below,
): string {
  const isMany = attribute.relation.endsWith('Many')
  const render = (entry: Entry) => renderRelated(entry, view, isExpanded ? showing : undefined)
  if (isMany) {
    const entries = included?.kind === 'entries' ? included.entries : []
    return `[${entries
      .filter((entry) => view.delivered.has(entry.type))
      .map(render)
      .join(',')}]`
  }
  const entry = included?.kind === 'entry' ? included.entry : null
  return entry && view.delivered.has(entry.type) ? render(entry) : 'null'
}

/** Always a list; ids and nothing else unless more is asked for (Doc 3 §4.1). */
function renderFiles(
  included: Included | undefined,
  view: View,
  { isExpanded, showing }: Below,
): string {
  if (included?.kind === 'ids') {
    return JSON.stringify(included.ids.map(({ documentId }) => ({ id: documentId })))
  }
  const files =
    included?.kind === 'files'
      ? included.files
      : included?.kind === 'file' && included.file
        ? [included.file]
        : []
  const rendered = files.map((file) => {
    view.count()
    return renderFile(file, isExpanded ? renderFileProperties(file, showing.fields) : '{}')
  })
  return `[${rendered.join(',')}]`
}

function renderParts(
  isMany: boolean,
  included: Included | undefined,
  view: View,
  { showing }: Below,
): string {
  const isList = included?.kind === 'parts' || included?.kind === 'zone'
  const parts = isList ? included.parts : []
  const part = included?.kind === 'part' ? included.part : null
  if (!isMany && !part) return 'null'
  const items = (part ? [part] : parts).map((each) => renderPart(each, view, showing))
  return `{"items":[${items.join(',')}]}`
}

function renderPart(part: Part, view: View, showing: Showing): string {
  const contentType = JSON.stringify(part.component.uid)
  const properties = renderProperties(part, view, showing)
  const content = `{"contentType":${contentType},"id":"${partId(part)}","properties":${properties}}`
  return `{"content":${content},"settings":null}`
}

/** A UUID of the custom version (RFC 9562 §5.8): the component's number and that of the part. */
function partId({ component, id }: Part): string {
  const kind = component.no.toString(16).padStart(8, '0').slice(-8)
  const own = id.toString(16).padStart(12, '0').slice(-12)
  return `${kind}-0000-8000-8000-${own}`
}
