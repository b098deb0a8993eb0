import { RE2JS } from 're2js'

export interface Pattern {
  /** How many groups it has, the whole match not counted. */
  readonly groups: number
  test(text: string): boolean
  /** The groups of the first match, the whole match first; null when there is none. */
  match(text: string): (string | null)[] | null
  /** Puts what `make` returns in place of matches; undefined when it becomes too long. */
  replace(text: string, make: (groups: (string | null)[]) => string, how: How): string | undefined
}

interface How {
  readonly isEvery: boolean
  readonly maxLength: number
}

export interface PatternFlags {
  readonly ignoreCase?: boolean
  readonly isMultiline?: boolean
  readonly isDotAll?: boolean
}

/** The time of a match grows with the product of text and program, so both are bounded. */
const MAX_SOURCE = 4096
const MAX_PROGRAM = 1000

/**
 * A regular expression that runs in linear time, so that none can stall a thread (contract §4.2).
 * Throws for what cannot: look-around and back-references.
 */
export function createPattern(source: string, flags: PatternFlags = {}): Pattern {
  const compiled = RE2JS.compile(source, bitsOf(flags))
  return { groups: compiled.groupCount(), test, match, replace }

  function test(text: string): boolean {
    return compiled.matcher(text).find()
  }

  function match(text: string): (string | null)[] | null {
    const matcher = compiled.matcher(text)
    return matcher.find() ? groupsOf(matcher) : null
  }

  function replace(text: string, make: Parameters<Pattern['replace']>[1], how: How) {
    const matcher = compiled.matcher(text)
    let out = ''
    let at = 0
    while (matcher.find()) {
      out += text.slice(at, matcher.start()) + make(groupsOf(matcher))
      at = matcher.end()
      if (out.length > how.maxLength) return undefined
      if (!how.isEvery) break
    }
    return out + text.slice(at)
  }
}

/** Why a source cannot be used; null when it can. */
export function patternFault(source: unknown, maxProgram = MAX_PROGRAM): string | null {
  if (typeof source !== 'string') return 'must be a regular expression'
  if (source.length > MAX_SOURCE) {
    return `must be a regular expression of at most ${MAX_SOURCE} characters`
  }
  try {
    const size = RE2JS.compile(source).programSize()
    if (size <= maxProgram) return null
    return 'must be a smaller regular expression: repetitions such as {500} count as often as they say'
  } catch (error) {
    return `must be a regular expression without look-around and back-references: ${
      error instanceof Error ? error.message : 'unreadable'
    }`
  }
}

function groupsOf(matcher: ReturnType<RE2JS['matcher']>): (string | null)[] {
  const groups: (string | null)[] = []
  for (let index = 0; index <= matcher.groupCount(); index++) groups.push(matcher.group(index))
  return groups
}

function bitsOf({ ignoreCase, isMultiline, isDotAll }: PatternFlags): number {
  return (
    (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
    (isMultiline ? RE2JS.MULTILINE : 0) |
    (isDotAll ? RE2JS.DOTALL : 0)
  )
}
