import { isObject, isUuid } from '#kernel'
import type { Ref } from './parsed.ts'

/** An integer id, its text, or a documentId; undefined when it is none of these. */
export function parseRef(value: unknown): Ref | undefined {
  if (typeof value === 'number') return isId(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  if (/^[1-9]\d{0,15}$/.test(value) && isId(Number(value))) return Number(value)
  return isUuid(value) ? value.toLowerCase() : undefined
}

/** The same, or an object with it as `id`, `documentId` or `uuid`, as answers show related things. */
export function parseElement(value: unknown): Ref | undefined {
  if (!isObject(value)) return parseRef(value)
  return parseRef(value.id ?? value.documentId ?? value.uuid)
}

function isId(number: number): boolean {
  return Number.isSafeInteger(number) && number > 0
}
