import { type Sql, sql } from '../fragment.ts'
import type { Condition, ResolvedQuery } from '../resolved.ts'
import { countOf, type Source } from './branches.ts'
import type { Compiling, Row } from './context.ts'
import { sourceOf } from './page.ts'

/**
 * How many rows a list of one type has. A flag that nearly all entries have is kept outside their own
 * table: looking it up would read every row whole, so the few without it are subtracted instead.
 */
export function countListed(to: Compiling, row: Row, query: ResolvedQuery, source: Source): Sql {
  const all = query.condition ? partsOf(query.condition) : []
  const rare = all.flatMap((each) => (isUsual(each) ? [each.of] : []))
  if (rare.length === 0) return countOf(source)
  const rest = all.filter((each) => !isUsual(each))
  const count = (of: readonly Condition[]) =>
    sql`(${countOf(sourceOf(to, row, { ...query, condition: allOf(of) }))})`
  return sql`select ${count(rest)} - ${count([{ kind: 'or', of: rare }, ...rest])} as total`
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.of.flatMap(partsOf) : [condition]
}

function isUsual(condition: Condition): condition is Extract<Condition, { kind: 'not' }> {
  return condition.kind === 'not' && condition.of.kind === 'rare'
}

function allOf(of: readonly Condition[]): Condition | null {
  const [only] = of
  return of.length > 1 ? { kind: 'and', of } : (only ?? null)
}
