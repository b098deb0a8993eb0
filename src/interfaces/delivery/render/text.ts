import {
  type Attribute,
  type ContentType,
  collectionRoute,
  type EntryText,
  isToMany,
} from '#content'
import type { Delivered } from '../delivered.ts'
import { below, type Showing } from '../includes.ts'
import { shapeOf } from '../shape.ts'

type Parts = EntryText[number][]
type Below = NonNullable<ReturnType<typeof below>>

/** The text that `renderItem` makes of a live entry, for the store to make; null where it needs it. */
export function itemText(
  delivered: Delivered,
  type: ContentType,
  showing: Showing,
): EntryText | null {
  // What varies by culture shows its routes in the others too.
  const item = type.localized ? null : relatedText(delivered, type, showing)
  return item && [...item, ',"cultures":{}}']
}

/** Without its end; `showing` undefined: without its properties. */
function relatedText(
  delivered: Delivered,
  type: ContentType,
  showing: Showing | undefined,
): Parts | null {
  const properties = showing ? propertyTexts(delivered, type, showing) : []
  if (!properties || type.displayField === null) return null
  const { prefix, startItem } = collectionRoute(type)
  const { id, path } = startItem
  return [
    `{"contentType":${JSON.stringify(type.singularName)},"name":`,
    { member: type.displayField, none: '""' },
    ',"createDate":',
    { show: 'createdDate' },
    ',"updateDate":',
    { show: 'updatedDate' },
    ',"route":{"path":"/',
    { pathBehind: `${prefix}/` },
    `/","startItem":{"id":"${id}","path":${JSON.stringify(path)}}},"id":"`,
    { show: 'documentId' },
    '","properties":{',
    ...properties,
    '}',
  ]
}

function propertyTexts(delivered: Delivered, type: ContentType, showing: Showing): Parts | null {
  const texts: Parts = []
  for (const { key, attribute } of shapeOf(type).properties) {
    const shown = below(showing, attribute.name)
    if (!shown) continue
    const text = propertyText(delivered, attribute, shown)
    if (!text) return null
    texts.push(`${texts.length === 0 ? '' : ','}${key}`, ...text)
  }
  return texts
}

/** What stands for null; kinds that are not here are shown otherwise than they are stored. */
const NONE: { readonly [type in Attribute['type']]?: string } = {
  ...{ string: 'null', text: 'null', email: 'null', uid: 'null', enumeration: 'null' },
  ...{ integer: 'null', float: 'null', decimal: 'null' },
  ...{ date: 'null', datetime: 'null', time: 'null' },
  ...{ boolean: 'false', tags: '[]' },
}

function propertyText(delivered: Delivered, attribute: Attribute, shown: Below): Parts | null {
  const { name, type } = attribute
  if (attribute.type === 'relation') return relationText(delivered, attribute, shown)
  const none = NONE[type]
  return none === undefined ? null : [{ member: name, none }]
}

/** Of one entry; how many a list shows is counted while it is rendered. */
function relationText(
  delivered: Delivered,
  attribute: Extract<Attribute, { readonly type: 'relation' }>,
  { isExpanded, showing }: Below,
): Parts | null {
  const target = delivered.findType(attribute.target)
  const isMany = isToMany(attribute)
  if (!target) return [isMany ? '[]' : 'null']
  if (isMany) return null
  const item = relatedText(delivered, target, isExpanded ? showing : undefined)
  if (!item) return null
  const about = { included: attribute.name, none: 'null', absent: 'null' }
  return [{ ...about, before: '', text: [...item, '}'], after: '' }]
}

/** How many items it shows at most. */
export function itemsIn(text: EntryText): number {
  let count = 1
  for (const part of text) {
    if (typeof part === 'object' && 'included' in part) count += itemsIn(part.text)
  }
  return count
}
