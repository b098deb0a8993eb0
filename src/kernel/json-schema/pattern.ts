import { RE2JS } from 're2js'
import { memoize } from '../memoize.ts'

const LONGEST = 500
const CACHE_SIZE = 500
const USUAL_PARTS = 64

/** Undefined when it is too long or cannot run in linear time. */
export const compilePattern = memoize(CACHE_SIZE, (source: string): RE2JS | undefined => {
  if (source.length > LONGEST) return undefined
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
})

/** In steps: a pattern looks at every character as often as it has parts. */
export function costOf(source: string, length: number): number {
  const parts = compilePattern(source)?.programSize() ?? 0
  return Math.ceil((length * Math.max(USUAL_PARTS, parts)) / (16 * USUAL_PARTS))
}

export function isFound(source: string, text: string): boolean {
  return compilePattern(source)?.matcher(text).find() ?? false
}
