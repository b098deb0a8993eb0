/** What a `Cache-Control` header says (RFC 9111 §5.2); names in lower case, values without quotes. */
export type Directives = ReadonlyMap<string, string>

export function parseDirectives(header: string | undefined): Directives {
  const found = new Map<string, string>()
  for (const [, name = '', quoted, plain] of (header ?? '').matchAll(DIRECTIVE)) {
    const lower = name.toLowerCase()
    if (!found.has(lower)) found.set(lower, quoted ?? plain ?? '')
  }
  return found
}

const DIRECTIVE = /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]+)))?/g

/** RFC 9111 §1.2.2: a number that is none counts as stale at once; undefined when it is absent. */
export function secondsOf(directives: Directives, name: string): number | undefined {
  const value = directives.get(name)
  if (value === undefined) return undefined
  return /^\d+$/.test(value) ? Math.min(Number(value), 2 ** 31) : 0
}
