import type { SortKey } from '#content-query'
import { bad } from './paging.ts'

const MOST_KEYS = 20

/** `"title:desc"`, `"title,price:desc"` or a list of such texts. */
export function parseSort(given: unknown): SortKey[] {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const keys = texts.flatMap((text) =>
    typeof text === 'string' ? text.split(',').flatMap(parseKey) : [],
  )
  if (keys.length <= MOST_KEYS) return keys
  throw bad('sort', `sort: ${keys.length} fields are more than the limit of ${MOST_KEYS}`)
}

function parseKey(text: string): SortKey[] {
  const [name = '', order = 'asc', ...rest] = text.split(':').map((part) => part.trim())
  if (name === '' && rest.length === 0) return []
  const word = order.toLowerCase()
  if (rest.length > 0 || (word !== 'asc' && word !== 'desc')) {
    throw bad('sort', `sort: ${text.trim()} is not an order; write field, field:asc or field:desc`)
  }
  return [{ path: name.split('.'), order: word, at: ['sort', name] }]
}

/** One text for orders that are the same. */
export function sortText(keys: readonly SortKey[]): string {
  return keys.map(({ path, order }) => `${path.join('.')}:${order}`).join()
}
