import type { Scalar } from '#content-query'

type Position = readonly (string | number | boolean | null)[]

/** Where an entry stands, safe in URLs. It says of which list and order it is, so that no other takes it. */
export function encodeCursor(position: Position, tag: string): string {
  return Buffer.from(JSON.stringify([tag, ...position])).toString('base64url')
}

/** Null for everything that was not made for this list and order. */
export function decodeCursor(text: string, tag: string): readonly Scalar[] | null {
  const parsed = parse(Buffer.from(text, 'base64url').toString())
  if (!Array.isArray(parsed) || parsed.length < 2 || parsed[0] !== tag) return null
  const position = parsed.slice(1).filter(isScalar)
  const isWhole = position.length === parsed.length - 1 && encodeCursor(position, tag) === text
  return isWhole ? position : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
