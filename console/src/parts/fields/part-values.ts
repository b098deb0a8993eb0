import type { Attribute, Attributes, ComponentType } from '../../api/content.ts'
import { Excerpt } from '../../api/references.ts'
import { ownOf } from '../own.ts'

type Values = Readonly<Record<string, unknown>>
type Components = readonly ComponentType[]

/** Under this name a block of a zone says what it is. */
export const KIND = '__component'

export function isOfParts({ type }: Attribute): boolean {
  return type === 'component' || type === 'dynamiczone'
}

/** The components that an attribute may hold. */
export function partsOf(components: Components, attribute: Attribute): ComponentType[] {
  const names = attribute.component ? [attribute.component] : (attribute.components ?? [])
  return components.filter(({ uid }) => names.includes(uid))
}

export function kindOfPart(
  components: Components,
  attribute: Attribute,
  part: Values,
): ComponentType | undefined {
  const kinds = partsOf(components, attribute)
  return attribute.component ? kinds[0] : kinds.find(({ uid }) => uid === part[KIND])
}

export function mapParts(value: unknown, map: (part: Values) => Values): unknown {
  if (Array.isArray(value)) return value.map((part) => map(part))
  return typeof value === 'object' && value !== null ? map(value as Values) : (value ?? null)
}

/** What the server sets by itself, to be seen before it does. */
export function defaultsOf(attributes: Attributes): Values {
  const given = Object.entries(attributes).filter(([, own]) => own.default !== undefined)
  return Object.fromEntries(given.map(([name, own]) => [name, own.default]))
}

/** For another place: blocks of blocks become new ones, and of lists that are not known whole nothing is taken. */
export function asNew(components: Components, attributes: Attributes, values: Values): Values {
  const taken = Object.entries(values).filter(([, value]) => !(value instanceof Excerpt))
  return Object.fromEntries(
    taken.map(([name, value]) => {
      const attribute = ownOf(attributes, name)
      if (!attribute || !isOfParts(attribute)) return [name, value]
      return [name, mapParts(value, (part) => newPart(components, attribute, part))]
    }),
  )
}

/** The same block once more. */
export function newPart(components: Components, attribute: Attribute, part: Values): Values {
  const { id: _, ...values } = part
  return asNew(components, kindOfPart(components, attribute, part)?.attributes ?? {}, values)
}
