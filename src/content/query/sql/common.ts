import type { Condition, ResolvedPart } from '../resolved.ts'

/** Nearly every entry that is visible belongs to the list: little is met in vain along an index. */
export function isCommon(part: ResolvedPart): boolean {
  const { scope, condition, search, linkedFrom, only, locales } = part
  const isOfOne = locales === null || locales.length === 1
  const isWhole = scope.kind === 'entry' && isOfOne && !search && !linkedFrom && !only
  return isWhole && partsOf(condition).every(isUsual)
}

/** What every entry must fulfil. */
export function partsOf(condition: Condition | null): readonly Condition[] {
  if (condition === null) return []
  return condition.kind === 'and' ? condition.of.flatMap(partsOf) : [condition]
}

/** A flag that nearly all entries have. */
export function isUsual(condition: Condition): condition is Extract<Condition, { kind: 'not' }> {
  return condition.kind === 'not' && condition.of.kind === 'rare'
}
