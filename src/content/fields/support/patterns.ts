import { RE2JS } from 're2js'
import { memoize } from '#kernel'

const LONGEST_PATTERN = 500
const CACHE_SIZE = 500

/**
 * Undefined when it is too long or no regular expression that runs in linear time: look-around and
 * back-references could stop the whole thread with a few characters.
 */
export const compilePattern = memoize(CACHE_SIZE, (source: string): RE2JS | undefined => {
  if (source.length > LONGEST_PATTERN) return undefined
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
})

/** Whether the pattern is found in the text. */
export function matchesPattern(pattern: RE2JS, text: string): boolean {
  return pattern.matcher(text).find()
}
