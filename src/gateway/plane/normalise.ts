const NEEDS_CARE = /%|\/\/|\/\.|[^\x21-\x7e]|[\\?#]/
const UNRESERVED = /^[A-Za-z0-9\-._~]$/
const ESCAPE = /%([0-9A-Fa-f]{2})?/g

/**
 * The path as rules and upstream both see it (contract §4.1): unreserved escapes decoded, dot
 * segments resolved, repeated slashes merged. Undefined: it is not a path, or leaves the root.
 */
export function normalisePath(path: string): string | undefined {
  if (!NEEDS_CARE.test(path)) return path
  const decoded = decodeUnreserved(path)
  return decoded === undefined ? undefined : resolveDots(decoded)
}

function decodeUnreserved(path: string): string | undefined {
  if (/[\0-\x20\x7f\\#]/.test(path)) return undefined
  let isBroken = false
  const decoded = path.replace(ESCAPE, (triplet, hex: string | undefined) => {
    if (hex === undefined || hex === '00') isBroken = true
    const character = String.fromCharCode(Number.parseInt(hex ?? '0', 16))
    return UNRESERVED.test(character) ? character : triplet.toUpperCase()
  })
  return isBroken ? undefined : decoded
}

function resolveDots(path: string): string | undefined {
  const segments = path.split('/')
  const out: string[] = []
  for (const [index, segment] of segments.entries()) {
    if (index === 0) continue
    const isLast = index === segments.length - 1
    if (segment === '..') {
      if (out.length === 0) return undefined
      out.pop()
      if (isLast) out.push('')
    } else if (segment === '.' || (segment === '' && !isLast)) {
      if (isLast) out.push('')
    } else out.push(segment)
  }
  return `/${out.join('/')}`
}
