import type { JsonValue } from '#content'
import type { ContentType } from '#content-model'
import { missing, wrongType } from '../refusals.ts'
import { CATEGORIES, isStoreOwn, OWN_MEMBERS } from './product-type.ts'
import type { ValueReader } from './values.ts'

/** What `custom_attributes` change. */
export interface AttributeChange {
  /** Members that stand at the top of a product in other bodies. */
  readonly members: ReadonlyMap<string, unknown>
  /** Of attributes of the content type. */
  readonly values: Readonly<Record<string, unknown>>
  /** Of attributes that only the shop knows; null removes one. */
  readonly others: Readonly<Record<string, JsonValue | null>>
}

const CODE = /^[A-Za-z][A-Za-z0-9_]{0,62}$/

/** A list of `{attribute_code, value}`; an empty value clears the attribute (contract §4.1). */
export function parseCustomAttributes(
  type: ContentType,
  given: readonly unknown[],
  read: ValueReader,
): AttributeChange {
  const members = new Map<string, unknown>()
  const values: Record<string, unknown> = {}
  const others: Record<string, JsonValue | null> = {}
  const seen = new Set<string>()
  for (const each of given) {
    const item = read.object('custom_attributes', each)
    if (!item) continue
    const code = item['attribute_code']
    if (typeof code !== 'string' || !CODE.test(code)) {
      read.faults.push(wrongType('attribute_code', code, 'a name of letters, digits and _'))
      continue
    }
    // A value that is not there, or of another name, would clear the attribute.
    if (item['value'] === undefined) {
      read.faults.push(missing(`custom_attributes.${code}.value`))
      continue
    }
    if (seen.has(code)) {
      const message = '"%fieldName" is given twice in custom_attributes; send it once.'
      read.faults.push({ message, parameters: { fieldName: code } })
      continue
    }
    seen.add(code)
    const value = item['value'] === '' ? null : (item['value'] ?? null)
    if (code === 'category_ids') values[CATEGORIES] = toIds(code, value, read)
    else if (OWN_MEMBERS.has(code) || code === 'status') members.set(code, value)
    else if (isStoreOwn(code)) {
      const message = '"%fieldName" is no custom attribute; send extension_attributes.stock_item.'
      read.faults.push({ message, parameters: { fieldName: code } })
    } else if (type.attribute.has(code)) values[code] = storedValue(type, code, value, read)
    else others[code] = JSON.parse(JSON.stringify(value))
  }
  return { members, values, others }
}

function storedValue(type: ContentType, code: string, value: unknown, read: ValueReader): unknown {
  const attribute = type.attribute.get(code)
  if (attribute?.type === 'media') {
    if (value === null) return attribute.multiple ? [] : null
    const message = '"%fieldName" holds files; change it through /api/v1/products.'
    read.faults.push({ message, parameters: { fieldName: code } })
    return undefined
  }
  if (attribute?.type === 'relation') return toIds(code, value, read)
  if (value === null) return null
  if (attribute?.type === 'datetime') return read.time(code, value)
  if (attribute?.type === 'date') return read.day(code, value)
  // Flags and numbers come as text from most clients of the dialect.
  if (attribute?.type === 'boolean') return read.flag(code, value)
  if (attribute?.type === 'tags' && typeof value === 'string') return value.split(',')
  return value
}

/** Ids of related entries: a list, or texts with commas. */
export function toIds(name: string, value: unknown, read: ValueReader): number[] {
  if (value === null) return []
  const items: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  return items.flatMap((item) => read.whole(name, item) ?? [])
}
