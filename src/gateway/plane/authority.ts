import { isIPv6 } from 'node:net'

/**
 * What RFC 3986 §3.2.2 permits in a name, without escapes, which others would resolve, and without
 * the comma, by which two Host headers become one on their way.
 */
const NAME = /^[A-Za-z0-9\-._~!$&'()*+;=]+$/
const MAX_PORT = 65_535

/**
 * The host that a Host header or an absolute target names: lower case, without port and final dot.
 * Undefined: this is none (RFC 9112 §3.2).
 */
export function parseAuthority(text: string): string | undefined {
  const [, bracketed, bare, port = ''] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{0,5}))?$/.exec(text) ?? []
  if (Number(port) > MAX_PORT) return undefined
  if (bracketed !== undefined) {
    return isIPv6(bracketed) && !bracketed.includes('%')
      ? `[${bracketed.toLowerCase()}]`
      : undefined
  }
  const name = bare?.endsWith('.') ? bare.slice(0, -1) : bare
  if (name === undefined || !NAME.test(name) || name.endsWith('.') || name.includes('..')) {
    return undefined
  }
  return name.toLowerCase()
}
