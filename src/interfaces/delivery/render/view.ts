import { type Entry, isShown, wireKindOf } from '#content'
import { type Attribute, type ContentType, type FieldSet, isScalar } from '#content-model'
import { memoizeOf, renderTime } from '#kernel'
import type { DeliverySettings } from '../deps.ts'
import { queryFault } from '../errors.ts'
import type { Delivered } from '../target.ts'
import type { Destinations } from './destinations.ts'
import type { RichTexts } from './rich-text.ts'

/** What items are rendered with. */
export interface View {
  readonly delivered: Delivered
  readonly settings: Pick<DeliverySettings, 'unexpandedMedia'>
  /** JSON. */
  routeOf(entry: Entry): string
  culturesOf(entry: Entry): string
  readonly links: Destinations
  readonly richTexts: RichTexts
  /** Called for every item; throws when the answer grows beyond measure. */
  count(): void
}

/** An answer of more is nobody's page: relations that lead back multiply with every level. */
const MOST_ITEMS = 50_000

export function createCount(expand: string): () => void {
  let left = MOST_ITEMS
  return () => {
    if (--left >= 0) return
    const from = { param: 'expand', value: expand }
    throw queryFault('Expand not valid', from, 0, `This shows more than ${MOST_ITEMS} items`)
  }
}

/** ISO 8601 in UTC; milliseconds only where there are some. */
export function renderDate(ms: number): string {
  const text = renderTime(ms)
  return ms % 1_000 === 0 ? `"${text.slice(0, -5)}Z"` : `"${text}"`
}

/** One property: its JSON name with the colon, and what it shows. */
interface Property {
  readonly key: string
  readonly attribute: Attribute
}

/** How items of a type, or components, look. */
interface Names {
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
