/** `*` stands for one or more segments of a name (webhooks contract, changes after 0.1). */
const MAX_PATTERN = 100
const PATTERN = /^(?:\*|[a-z0-9_][a-z0-9_-]*)(?:\.(?:\*|[a-z0-9_][a-z0-9_-]*)){0,4}$/

/** Null when it is one. */
export function problemOfPattern(text: string): string | null {
  if (text.length > MAX_PATTERN) return `must have at most ${MAX_PATTERN} characters`
  if (!PATTERN.test(text)) return 'must be up to five names or * joined by full stops: order.*'
  if (text.includes('*')) return null
  return 'must contain *; names that are meant as they are belong into events'
}

/**
 * Every pattern that matches the name. There are few, because a name has at most five segments, so
 * subscriptions are found by looking their patterns up rather than by trying each one.
 */
export function patternsFor(name: string): string[] {
  return coverings(name.split('.')).filter((pattern) => pattern !== name)
}

/** What can stand for the segments: each one by itself, or `*` for so many of them. */
function coverings(segments: readonly string[]): string[] {
  const [first, ...others] = segments
  if (first === undefined) return ['']
  const found = new Set(coverings(others).map((rest) => joined(first, rest)))
  for (let taken = 1; taken <= segments.length; taken++) {
    for (const rest of coverings(segments.slice(taken))) found.add(joined('*', rest))
  }
  return [...found]
}

function joined(first: string, rest: string): string {
  return rest === '' ? first : `${first}.${rest}`
}

export function matchesPattern(pattern: string, name: string): boolean {
  return patternsFor(name).includes(pattern)
}
