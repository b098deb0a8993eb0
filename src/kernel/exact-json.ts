/** A number that no double holds; `JSON.stringify` writes the text it was read from. */
export interface RawNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
  }
}

/** Only such digits can be lost: a double keeps every number of 15 digits up to an exponent of 300. */
const MAY_LOSE = /\d{16}|[\d.]{17}|[eE][+-]?\d{3}/

/**
 * `JSON.parse` for texts that are handed on: a number that would change by becoming a double, such
 * as an integer beyond 2^53, is kept as the text it has, so that writing the value again gives what
 * was read.
 */
export function parseExactJson(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text)
  // Other spellings of what a double holds, such as `1.50`, become that number.
  return JSON.parse(text, (_name, value, { source = '' }) =>
    typeof value === 'number' && source !== String(value) && MAY_LOSE.test(source)
      ? JSON.rawJSON(source)
      : value,
  )
}

export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value)
}
