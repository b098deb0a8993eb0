import { type Included, isShown, type Part } from '#content'
import { type Component, isScalar } from '#content-model'
import { bundleOf, type Catalogue } from '../target/catalogue.ts'
import { renderValue } from './values.ts'

function renderPart(catalogue: Catalogue, part: Part): string {
  return `{${[`"id":${part.id}`, ...membersOf(catalogue, part)].join(',')}}`
}

/** In a zone there are several kinds, so each says which it is beside its attributes, not among them. */
function renderBlock(catalogue: Catalogue, part: Part): string {
  const type = JSON.stringify(part.component.uid)
  const attributes = membersOf(catalogue, part).join(',')
  return `{"type":${type},"id":${part.id},"attributes":{${attributes}}}`
}

/** A component: its values as those of an entry, what it refers to as identifiers. */
function membersOf(catalogue: Catalogue, part: Part): readonly string[] {
  const values = part.values()
  return part.component.attributes.filter(isShown).map((attribute) => {
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

export function renderParts(catalogue: Catalogue, included: Included | undefined): string {
  if (included?.kind === 'part') {
    return included.part ? renderPart(catalogue, included.part) : 'null'
  }
  if (included?.kind === 'zone') {
    return `[${included.parts.map((part) => renderBlock(catalogue, part)).join(',')}]`
  }
  if (included?.kind !== 'parts') return 'null'
  return `[${included.parts.map((part) => renderPart(catalogue, part)).join(',')}]`
}
