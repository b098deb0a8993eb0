import { createHash } from 'node:crypto'
import { DomainError, isObject } from '#kernel'

/** One element of a request, by its place in it: to be carried out, or rejected at once. */
export interface Element {
  readonly sku: string | null
  /** The element as it was sent, as JSON. */
  readonly data: string
  readonly dataHash: string | null
  /** Why it cannot be an operation; null: it is one. */
  readonly rejection: string | null
}

const LONGEST_SKU = 64

/** The list of elements in a body: an array, or one object for an array of one (commerce contract §5.1). */
export function listOf(body: unknown, most: number): readonly unknown[] {
  const list = Array.isArray(body) ? body : isObject(body) ? [body] : undefined
  if (!list) throw bad('The body must be an array of products, or one product.')
  if (list.length === 0) throw bad('The array is empty: send at least one product.')
  if (list.length > most) {
    throw bad(`The array has ${list.length} elements, at most ${most} are allowed.`)
  }
  return list
}

interface Reading {
  /** The SKU that the path names, which wins over the element's. */
  readonly sku: string | undefined
  /** The same members under the names that products have here. */
  rename(sent: unknown): unknown
}

export function parseElement(sent: unknown, { sku: inPath, rename }: Reading): Element {
  const renamed = rename(sent)
  const data = JSON.stringify(renamed)
  const rejected = (rejection: string): Element => ({ sku: null, data, dataHash: null, rejection })
  if (!isObject(renamed)) return rejected('The element must be an object.')
  const given = inPath ?? productOf(renamed)['sku'] ?? ''
  if (typeof given !== 'string' && typeof given !== 'number') {
    return rejected('"sku" must be a text.')
  }
  const sku = String(given).trim()
  if (sku === '') return rejected('"sku" is required.')
  if (sku.length > LONGEST_SKU) {
    return rejected(`"sku" must have at most ${LONGEST_SKU} characters.`)
  }
  const dataHash = createHash('sha256').update(JSON.stringify(sent)).digest('hex')
  return { sku, data, dataHash, rejection: null }
}

/** The product in an element, which may be wrapped. */
export function productOf(element: Readonly<Record<string, unknown>>) {
  const { product } = element
  return isObject(product) ? product : element
}

function bad(message: string): DomainError {
  return new DomainError('invalid', 'invalid_bulk', message)
}
