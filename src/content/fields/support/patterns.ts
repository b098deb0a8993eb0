import { RE2JS } from 're2js'

const LONGEST_PATTERN = 500
const CACHE_SIZE = 500

const patterns = new Map<string, RE2JS>()

/**
 * Undefined when it is too long or no regular expression that runs in linear time: look-around and
 * back-references could stop the whole thread with a few characters.
 */
export function compilePattern(source: string): RE2JS | undefined {
  if (source.length > LONGEST_PATTERN) return undefined
  const known = patterns.get(source)
  if (known) return known
  const pattern = compile(source)
  if (pattern) remember(source, pattern)
  return pattern
}

/** Whether the pattern is found in the text. */
export function matchesPattern(pattern: RE2JS, text: string): boolean {
  return pattern.matcher(text).find()
}

function compile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
}

function remember(source: string, pattern: RE2JS) {
  if (patterns.size >= CACHE_SIZE) patterns.clear()
  patterns.set(source, pattern)
}
