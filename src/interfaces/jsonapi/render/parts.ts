import { type Component, type Included, isScalar, isShown, type Part } from '#content'
import { bundleOf, type Catalogue } from '../target/catalogue.ts'
import { renderValue } from './values.ts'

/** A component: its values as those of an entry, what it refers to as identifiers. */
function renderPart(catalogue: Catalogue, part: Part): string {
  const values = part.values()
  const members = part.component.attributes.filter(isShown).map((attribute) => {
    const included = part.included.get(attribute.name)
    const json = isScalar(attribute)
      ? renderValue(attribute, values[attribute.name])
      : renderReferred(catalogue, part.component, attribute.name, included)
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
  return type ? catalogue.namesOf(type).name : attribute.target
}

export function renderParts(catalogue: Catalogue, included: Included | undefined): string {
  if (included?.kind === 'part') {
    return included.part ? renderPart(catalogue, included.part) : 'null'
  }
  if (included?.kind !== 'parts') return 'null'
  return `[${included.parts.map((part) => renderPart(catalogue, part)).join(',')}]`
}
