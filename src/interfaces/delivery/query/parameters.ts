import { queryTooLong } from '../errors.ts'

/** Contract §10. */
const MAX_QUERY_BYTES = 8 * 1024

/** One parameter: its name in lower case without an index, its value decoded. */
export interface Parameter {
  readonly param: string
  readonly value: string
}

/** Names are compared without regard to case; `filter[]` and `filter[0]` are `filter`. */
export function readParameters(text: string): readonly Parameter[] {
  if (text === '') return []
  if (Buffer.byteLength(text) > MAX_QUERY_BYTES) throw queryTooLong(MAX_QUERY_BYTES)
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.indexOf('=')
      const name = decode(end === -1 ? pair : pair.slice(0, end)).toLowerCase()
      const value = end === -1 ? '' : decode(pair.slice(end + 1))
      return { param: name.replace(/\[\d*\]$/, ''), value }
    })
}

/** Every occurrence of a parameter that has a value. */
export function valuesOf(parameters: readonly Parameter[], name: string): readonly Parameter[] {
  return parameters.filter(({ param, value }) => param === name && value !== '')
}

/** The first occurrence, also when it is empty. */
export function firstOf(parameters: readonly Parameter[], name: string): Parameter | undefined {
  return parameters.find(({ param }) => param === name)
}

/** What is no UTF-8 becomes U+FFFD, which nothing is named. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = spaced.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}
