import type { Included } from '../../entry.ts'
import { type Sql, sql } from '../fragment.ts'
import type { ResolvedInclude, ResolvedPart } from '../resolved.ts'
import { type Compiling, localeOf } from '../sql/context.ts'
import { joined, related } from '../sql/steps.ts'

/** The alias of an entry's own row, as `entryColumns` has it. */
const ENTRY = 'd'

/**
 * Whether an include shows no more than the ids of the one entry that its owner refers to. They come in a column of
 * the page: a statement of their own costs as much as half of the page.
 */
export function isReference(include: ResolvedInclude): boolean {
  const { step, depth, condition, isFromStart, state } = include
  const isOwned = step.kind === 'relation' && step.attribute.side === 'owning'
  return isOwned && !include.many && depth === 'ids' && !condition && isFromStart && state === null
}

/** Both ids as one text, so that they are looked up once. */
export function referenceColumns(to: Compiling, { scope, include }: ResolvedPart): readonly Sql[] {
  if (scope.kind === 'file') return []
  const { type } = scope
  const start = { kind: 'entry', alias: ENTRY, type, locale: localeOf(to, type, ENTRY) } as const
  return include.filter(isReference).map(({ step }) => {
    if (step.kind !== 'relation') throw new Error('only relations are references')
    const found = related(to, start, step)
    const { alias } = found.row
    const ids = sql`${sql.ref(`${alias}.id`)} || ' ' || ${sql.ref(`${alias}.document_id`)}`
    return sql`(select ${ids} from ${found.from} where ${joined(found)} limit 1)`
  })
}

const NOTHING: Included = { kind: 'ids', ids: [], total: 0 }

export function toReference(text: string | null): Included {
  if (text === null) return NOTHING
  const space = text.indexOf(' ')
  const id = Number(text.slice(0, space))
  return { kind: 'ids', ids: [{ id, documentId: text.slice(space + 1) }], total: 1 }
}
