import type { FastifyRequest } from 'fastify'
import { refused } from '#commerce'
import { isObject } from '#kernel'
import { oneIn } from './parameters.ts'

/** Members to show, each whole or cut in turn. */
export type Fields = ReadonlyMap<string, Fields | null>

const NAME = /[^,[\]\s]+/y
const MOST = 500

/** `fields=…` of the query. */
export function fieldsOf(request: FastifyRequest): Fields | null {
  return parseFields(oneIn(request, 'fields'))
}

/** `items[id,sku],total_count`; null when everything is to be shown. */
function parseFields(text: string): Fields | null {
  if (text.trim() === '') return null
  let at = 0
  let count = 0
  const fields = level(0)
  if (at < text.length) throw unbalanced(text)
  return fields

  function level(depth: number): Fields {
    const found = new Map<string, Fields | null>()
    for (;;) {
      const name = next()
      if (name === '' || ++count > MOST || depth > 20) throw unbalanced(text)
      let inner: Fields | null = null
      if (peek() === '[') {
        at++
        inner = level(depth + 1)
        if (peek() !== ']') throw unbalanced(text)
        at++
      }
      found.set(name, inner)
      if (peek() !== ',') return found
      at++
    }
  }

  function next(): string {
    peek()
    NAME.lastIndex = at
    const [name = ''] = NAME.exec(text) ?? []
    at += name.length
    return name
  }

  function peek(): string | undefined {
    while (text[at] === ' ') at++
    return text[at]
  }
}

/** The value with nothing but the members that are asked for; lists are cut item by item. */
function cut(value: unknown, fields: Fields | null): unknown {
  if (!fields) return value
  if (Array.isArray(value)) return value.map((item) => cut(item, fields))
  if (!isObject(value)) return value
  const shown: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const own = fields.get(name)
    if (own === undefined) continue
    shown[name] = name === 'custom_attributes' && own ? withCodes(inner, own) : cut(inner, own)
  }
  return shown
}

/** The same of JSON text. */
export function cutText(text: string, fields: Fields | null): string {
  return fields ? JSON.stringify(cut(JSON.parse(text), fields)) : text
}

/** Inside of custom attributes the names are their codes (contract §4.2). */
function withCodes(attributes: unknown, codes: Fields): unknown {
  if (!Array.isArray(attributes)) return attributes
  return attributes.filter((each) => isObject(each) && codes.has(String(each['attribute_code'])))
}

function unbalanced(value: string) {
  const parameters = { fieldName: 'fields', value: value.slice(0, 200) }
  const message = '"%fieldName" must be names with brackets that match, got "%value".'
  return refused({ message, parameters })
}
