import { RE2JS } from 're2js'

const LONGEST = 500
const CACHE_SIZE = 500
const USUAL_PARTS = 64

const patterns = new Map<string, RE2JS>()

/** Undefined when it is too long or cannot run in linear time. */
export function compilePattern(source: string): RE2JS | undefined {
  if (source.length > LONGEST) return undefined
  const known = patterns.get(source)
  if (known) return known
  try {
    const pattern = RE2JS.compile(source)
    if (patterns.size >= CACHE_SIZE) patterns.clear()
    patterns.set(source, pattern)
    return pattern
  } catch {
    return undefined
  }
}

/** In steps: a pattern looks at every character as often as it has parts. */
export function costOf(source: string, length: number): number {
  const parts = compilePattern(source)?.programSize() ?? 0
  return Math.ceil((length * Math.max(USUAL_PARTS, parts)) / (16 * USUAL_PARTS))
}

export function isFound(source: string, text: string): boolean {
  return compilePattern(source)?.matcher(text).find() ?? false
}
