import { type Sql, sql } from '../fragment.ts'
import { type Condition, isUsual, partsOf, type ResolvedPart } from '../resolved.ts'
import { type Source, sourceOf } from './base.ts'
import type { Compiling, Row } from './context.ts'

/** What is counted: a part of a list. */
interface Counted {
  readonly part: ResolvedPart
  readonly row: Row
  readonly source: Source
}

export function countOf({ from, where }: Source): Sql {
  return sql`select count(*) as total from ${from} where ${where}`
}

/**
 * How many rows a part of a list has. A flag that nearly all entries have is kept outside their own
 * table: looking it up would read every row whole, so the few without it are subtracted instead.
 */
export function countListed(to: Compiling, counted: Counted): Sql {
  const without = countWithout(to, counted)
  if (!without) return countOf(counted.source)
  return sql`select (${countOf(regardless(to, counted))}) - ${without} as total`
}

/** The same part of the list, whether or not its rows have such flags. */
export function regardless(to: Compiling, { part, row }: Pick<Counted, 'part' | 'row'>): Source {
  return sourceOf(to, row, { ...part, condition: allOf(others(part)) })
}

/** How many rows of it lack such a flag; null where none is asked for. */
export function countWithout(
  to: Compiling,
  { part, row }: Pick<Counted, 'part' | 'row'>,
): Sql | null {
  const rare = partsOf(part.condition)
    .filter(isUsual)
    .map(({ of }) => of)
  if (rare.length === 0) return null
  const condition = allOf([{ kind: 'or', of: rare }, ...others(part)])
  return sql`(${countOf(sourceOf(to, row, { ...part, condition }))})`
}

function others({ condition }: ResolvedPart): readonly Condition[] {
  return partsOf(condition).filter((each) => !isUsual(each))
}

function allOf(of: readonly Condition[]): Condition | null {
  return of.length > 0 ? { kind: 'and', of } : null
}
