import { type DomainError, invalid } from '#kernel'

export type At = readonly (string | number)[]

/** Something in the URL; the message is a sentence that names it. */
export function badQuery(at: At, message: string): DomainError {
  return invalid([{ path: at, rule: 'invalid', message }], 'invalid_query')
}

export function badPaging(at: At, message: string): DomainError {
  return invalid([{ path: at, rule: 'invalid', message }], 'invalid_pagination')
}

/** `['populate', 'author', 'sort']` as the caller wrote it. */
export function nameOf([first = '', ...rest]: At): string {
  return `${first}${rest.map((step) => `[${step}]`).join('')}`
}
