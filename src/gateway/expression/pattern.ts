import { RE2JS } from 're2js'

export interface Pattern {
  test(text: string): boolean
  /** The groups of the first match, the whole match first; null when there is none. */
  match(text: string): (string | null)[] | null
}

/**
 * A regular expression that runs in linear time, so that none can stall a thread (contract §4.2).
 * Throws for what cannot: look-around and back-references.
 */
export function createPattern(source: string, flags: { ignoreCase?: boolean } = {}): Pattern {
  const compiled = RE2JS.compile(source, flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  return { test, match }

  function test(text: string): boolean {
    return compiled.matcher(text).find()
  }

  function match(text: string): (string | null)[] | null {
    const matcher = compiled.matcher(text)
    if (!matcher.find()) return null
    const groups: (string | null)[] = []
    for (let index = 0; index <= matcher.groupCount(); index++) groups.push(matcher.group(index))
    return groups
  }
}

/** Why a source cannot be used; null when it can. */
export function patternFault(source: unknown): string | null {
  if (typeof source !== 'string') return 'must be a regular expression'
  try {
    RE2JS.compile(source)
    return null
  } catch (error) {
    return `must be a regular expression without look-around and back-references: ${
      error instanceof Error ? error.message : 'unreadable'
    }`
  }
}
