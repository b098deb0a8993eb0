import { type Component, type Included, type JsonValue, type Part, renderMarkup } from '#content'
import { bundleOf, type Catalogue } from '../catalogue.ts'
import { type Field, isShown } from '../names.ts'

type Kind = Field['attribute']

/** The JSON of one value (contract §3); `format` is that of rich text. */
export function renderValue(kind: Kind, value: JsonValue | undefined, format?: string): string {
  if (value === undefined || value === null) return kind.type === 'tags' ? '[]' : 'null'
  switch (kind.type) {
    case 'richtext':
      return renderRichText(String(value), format ?? kind.format ?? 'basic_html')
    case 'datetime':
      return `"${toOffset(String(value))}"`
    case 'link':
      return renderLinkValue(value)
    default:
      return JSON.stringify(value)
  }
}

function renderRichText(value: string, format: string): string {
  return JSON.stringify({ value, format, processed: renderMarkup(value, format), summary: null })
}

/** `2026-03-01T09:30:00+00:00`; milliseconds only where there are some. */
function toOffset(iso: string): string {
  return `${iso.slice(0, iso.endsWith('.000Z') ? -5 : -1)}+00:00`
}

/** A link to a document of the store has its id as URI. */
function renderLinkValue(value: JsonValue): string {
  const link = new Map(Object.entries(value ?? {}))
  const entry = link.get('entry')
  const target = link.get('target')
  return JSON.stringify({
    uri: typeof entry === 'string' ? `entity:${entry}` : (link.get('url') ?? null),
    title: link.get('title') ?? null,
    options: typeof target === 'string' ? { attributes: { target } } : {},
  })
}

/** A component: its values as those of an entry, what it refers to as identifiers. */
function renderPart(catalogue: Catalogue, part: Part): string {
  const values = part.values()
  const members = part.component.attributes.filter(isShown).map((attribute) => {
    const included = part.included.get(attribute.name)
    const json =
      attribute.type === 'relation' || attribute.type === 'media' || attribute.type === 'component'
        ? renderReferred(catalogue, part.component, attribute.name, included)
        : renderValue(attribute, values[attribute.name])
    return `${JSON.stringify(attribute.name)}:${json}`
  })
  return `{${[`"id":${part.id}`, ...members].join(',')}}`
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
  return type ? catalogue.shapeOf(type).name : attribute.target
}

export function renderParts(catalogue: Catalogue, included: Included | undefined): string {
  if (included?.kind === 'part') {
    return included.part ? renderPart(catalogue, included.part) : 'null'
  }
  if (included?.kind !== 'parts') return 'null'
  return `[${included.parts.map((part) => renderPart(catalogue, part)).join(',')}]`
}
