import { type Sql, sql } from '../fragment.ts'
import { sourceOf } from './base.ts'
import { countOf, type Listed } from './branches.ts'
import { isUsual, partsOf } from './common.ts'
import type { Compiling } from './context.ts'

/**
 * How many rows a part of a list has. A flag that nearly all entries have is kept outside their own
 * table: looking it up would read every row whole, so the few without it are subtracted instead.
 */
export function countListed(to: Compiling, { part, row, source }: Listed): Sql {
  const all = partsOf(part.condition)
  const rare = all.filter(isUsual).map(({ of }) => of)
  if (rare.length === 0) return countOf(source)
  const rest = all.filter((each) => !isUsual(each))
  const count = (of: typeof rest) =>
    sql`(${countOf(sourceOf(to, row, { ...part, condition: of.length > 0 ? { kind: 'and', of } : null }))})`
  return sql`select ${count(rest)} - ${count([{ kind: 'or', of: rare }, ...rest])} as total`
}
