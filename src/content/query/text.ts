import type { Telling, TextPart } from '#kernel'
import { placeOf } from './load/entry-row.ts'
import { OWNED } from './load/statement.ts'
import type { IncludePlan, Plan } from './plan.ts'

/**
 * The text of an entry as a dialect shows it, for pages that need nothing of their entries but this.
 * It is made where rows are read, so it may hold no more than what rows hold.
 */
export type EntryText = readonly EntryTextPart[]

type EntryTextPart =
  | string
  | { readonly show: Shown }
  /** What a to-one relation refers to; nothing at all where it was left out for the caller. */
  | {
      readonly included: string
      readonly before: string
      readonly text: EntryText
      readonly none: string
      readonly after: string
    }

/** `members`: the public scalars, each with a comma behind it. Times may be null; `locale` is JSON. */
type Shown =
  | 'id'
  | 'documentId'
  | 'members'
  | 'locale'
  | 'createdAtMs'
  | 'updatedAtMs'
  | 'publishedAtMs'

type CellPart = Exclude<TextPart, string | { readonly step: number }>

const CELLS: Readonly<Record<Shown, CellPart>> = {
  id: { cell: placeOf('id'), as: 'plain' },
  documentId: { cell: placeOf('document_id'), as: 'plain' },
  members: { cell: placeOf('doc'), as: 'members' },
  locale: { cell: placeOf('locale'), as: 'json' },
  createdAtMs: { cell: placeOf('created_at'), as: 'time' },
  updatedAtMs: { cell: placeOf('updated_at'), as: 'time' },
  publishedAtMs: { cell: placeOf('published_at'), as: 'time' },
}

/** Null when the page cannot be told so. */
export function toTelling(plan: Plan, text: EntryText): Telling | null {
  const { includes, documented, backwards, countedAt } = plan
  const parts = backwards ? null : toParts(text, includes, 0)
  if (!parts) return null
  const demands = documented.map(({ step, shapeAt, set }) => ({
    step,
    column: shapeAt,
    value: set.shape,
  }))
  return { parts, demands, besides: countedAt }
}

/** `at`: where the columns of the entry begin in its row. */
function toParts(
  text: EntryText,
  includes: readonly IncludePlan[],
  at: number,
): readonly TextPart[] | null {
  const parts: TextPart[] = []
  for (const part of text) {
    if (typeof part === 'string') parts.push(part)
    else if ('show' in part) parts.push(shifted(CELLS[part.show], at))
    else {
      const plan = includes.find(({ include }) => include.name === part.included)
      if (!plan) continue
      const own = relatedPart(plan, part.text, part.none, at)
      if (!own) return null
      parts.push(part.before, own, part.after)
    }
  }
  return parts
}

function relatedPart(
  { include, found, step, includes }: IncludePlan,
  text: EntryText,
  none: string,
  at: number,
): TextPart | null {
  if (found.kind !== 'entries' || include.many || !include.isFromStart) return null
  const parts = toParts(text, includes, OWNED.rest)
  return parts && { step, owner: OWNED.owner, by: at + placeOf('copy_no'), parts, none }
}

function shifted({ cell, as }: CellPart, at: number): CellPart {
  return { cell: cell + at, as }
}
