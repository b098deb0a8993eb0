/** The conditions of the dialect; several names mean the same. */
export type Condition =
  | ('eq' | 'neq' | 'gt' | 'gteq' | 'lt' | 'lteq' | 'in' | 'nin' | 'like' | 'nlike')
  | ('null' | 'notnull' | 'finset' | 'nfinset')
  | ('moreq' | 'from' | 'to' | 'gte' | 'lte')

const NAMES: readonly Condition[] = [
  ...(['eq', 'neq', 'gt', 'gteq', 'lt', 'lteq', 'moreq', 'in', 'nin', 'like', 'nlike'] as const),
  ...(['null', 'notnull', 'from', 'to', 'finset', 'nfinset', 'gte', 'lte'] as const),
]

export const CONDITIONS: ReadonlyMap<string, Condition> = new Map(
  NAMES.map((name) => [name, name] as const),
)

/** What a condition is, said with fewer words. */
export type PlainCondition =
  | 'eq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'like'
  | 'missing'
  | 'member'

interface Meaning {
  readonly plain: PlainCondition
  readonly isNegated: boolean
}

const MEANINGS: Record<Condition, Meaning> = {
  eq: { plain: 'eq', isNegated: false },
  neq: { plain: 'eq', isNegated: true },
  gt: { plain: 'gt', isNegated: false },
  gteq: { plain: 'gte', isNegated: false },
  gte: { plain: 'gte', isNegated: false },
  moreq: { plain: 'gte', isNegated: false },
  from: { plain: 'gte', isNegated: false },
  lt: { plain: 'lt', isNegated: false },
  lteq: { plain: 'lte', isNegated: false },
  lte: { plain: 'lte', isNegated: false },
  to: { plain: 'lte', isNegated: false },
  in: { plain: 'in', isNegated: false },
  nin: { plain: 'in', isNegated: true },
  like: { plain: 'like', isNegated: false },
  nlike: { plain: 'like', isNegated: true },
  null: { plain: 'missing', isNegated: false },
  notnull: { plain: 'missing', isNegated: true },
  finset: { plain: 'member', isNegated: false },
  nfinset: { plain: 'member', isNegated: true },
}

export function meaningOf(condition: Condition): Meaning {
  return MEANINGS[condition]
}
