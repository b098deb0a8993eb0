import type { Cells } from '#db'
import { DomainError } from '#kernel'
import { type Piece, sql } from './fragment.ts'

/** A step whose rows are shown beside those of the page, by the name that they are asked for. */
export interface RelatedStep {
  readonly step: number
  readonly name: string
}

/** One more than may be shown is read, which tells that there are too many. */
export function upToMost(rows: Piece, most: number): Piece {
  return Number.isFinite(most) ? sql`${rows} limit ${sql.lit(most + 1)}` : rows
}

/** Nothing is left out silently: an answer that would be too large is refused, and says how to ask for less. */
export function refuseTooMany(
  related: readonly RelatedStep[],
  rows: readonly (readonly Cells[])[],
  most: number,
): void {
  const counts = related.map(({ step, name }) => ({ name, count: rows[step]?.length ?? 0 }))
  if (counts.reduce((sum, { count }) => sum + count, 0) <= most) return
  const [largest] = counts.toSorted((a, b) => b.count - a.count)
  const message =
    `The answer would show more than ${most} related entries and files, most of them by ` +
    `"${largest?.name ?? ''}". Ask for fewer records at a time, leave that relation out, or read what it ` +
    'leads to as a list of its own, page by page'
  throw new DomainError('invalid', 'answer_too_large', message, {
    facts: { limit: most, relation: largest?.name ?? '' },
  })
}
