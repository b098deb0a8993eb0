import { isShown, wireKindOf } from '#content'
import { type Attribute, type ContentType, type FieldSet, isScalar } from '#content-model'
import { memoizeOf } from '#kernel'

/** One property: its JSON name with the colon, and what it shows. */
interface Property {
  readonly key: string
  readonly attribute: Attribute
}

/** How items of a type, or components, look. */
export interface Names {
  readonly properties: readonly Property[]
  /** Some of them may lead elsewhere in the store. */
  readonly hasLinks: boolean
}

/** Everything but the display name and the slug, which items show otherwise (contract §4). */
export const namesOf = memoizeOf((set: FieldSet): Names => {
  const hidden = isType(set) ? [set.displayField, set.slugField] : []
  const properties = set.attributes
    .filter((attribute) => isShown(attribute) && !hidden.includes(attribute.name))
    .map((attribute) => ({ key: `${JSON.stringify(attribute.name)}:`, attribute }))
  const hasLinks = properties.some(({ attribute }) => mayLink(attribute))
  return { properties, hasLinks }
})

function mayLink(attribute: Attribute): boolean {
  return isScalar(attribute) && ['markup', 'blocks', 'link'].includes(wireKindOf(attribute))
}

function isType(set: FieldSet): set is ContentType {
  return 'singularName' in set
}
