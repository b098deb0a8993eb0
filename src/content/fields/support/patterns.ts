import { createContext, Script } from 'node:vm'
import { isObject } from './objects.ts'

/** A well-made pattern needs microseconds for a short text. */
const TIME_LIMIT_MS = 250
const LONGEST_PATTERN = 500
const CACHE_SIZE = 500

const patterns = new Map<string, RegExp>()
const context = createContext(Object.create(null))
const script = new Script('pattern.test(text)')

/** Undefined when it is not a regular expression of JavaScript, or too long. */
export function compilePattern(source: string): RegExp | undefined {
  if (source.length > LONGEST_PATTERN) return undefined
  const known = patterns.get(source)
  if (known) return known
  const pattern = compile(source, 'u') ?? compile(source, '')
  if (pattern) remember(source, pattern)
  return pattern
}

/**
 * Whether the pattern is found in the text. A pattern that backtracks without end would stop the
 * whole thread, so it is run under a watchdog; then the text does not match.
 */
export function matchesPattern(pattern: RegExp, text: string): boolean {
  context.pattern = pattern
  context.text = text
  try {
    return script.runInContext(context, { timeout: TIME_LIMIT_MS }) === true
  } catch (error) {
    if (isTimeout(error)) return false
    throw error
  }
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

function remember(source: string, pattern: RegExp) {
  if (patterns.size >= CACHE_SIZE) patterns.clear()
  patterns.set(source, pattern)
}

/** The error comes from the other context, so it is not an instance of this one's Error. */
function isTimeout(error: unknown): boolean {
  return isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
