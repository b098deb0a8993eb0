import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>
type Values = `content_v${number}`

/** The next copies after `last`, in the order of their numbers. */
export async function findCopies(
  db: Db,
  table: Values,
  last: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom(table)
    .select('copy_no')
    .where('copy_no', '>', last)
    .orderBy('copy_no')
    .limit(limit)
    .execute()
  return rows.map(({ copy_no }) => copy_no)
}

/**
 * A moment in the life of a type: its time, and the last copy there was. A write through the other end of
 * a relation makes working copies that keep the time of what they were made from.
 */
export interface Moment {
  readonly ms: number
  readonly lastCopy: number
}

export async function findLastCopy(db: Db, table: Values): Promise<number> {
  const { last } = await db
    .selectFrom(table)
    .select((row) => row.fn.max('copy_no').as('last'))
    .executeTakeFirstOrThrow()
  return Number(last ?? 0)
}

/**
 * Copies that were saved since, found along the indexes of times (a type without drafts has only those
 * of live copies; where locales lead they are all named), and those that were made since.
 */
export function savedSince(
  table: Values,
  { ms, lastCopy }: Moment,
  codes: readonly string[],
): RawBuilder<{ copy_no: number }> {
  const saved = (flag: 'live' | 'work') => sql`
    select copy_no from ${sql.table(table)} where ${sql.ref(flag)} = 1
      and locale in (${sql.join(['', ...codes])}) and updated_at >= ${ms}`
  return sql`${saved('live')} union ${saved('work')}
    union select copy_no from ${sql.table(table)} where copy_no > ${lastCopy}`
}

export async function findSavedSince(
  db: Db,
  table: Values,
  since: Moment,
  codes: readonly string[],
): Promise<number[]> {
  const { rows } = await savedSince(table, since, codes).execute(db)
  return rows.map(({ copy_no }) => copy_no).toSorted((a, b) => a - b)
}

/** At most this many values fit into one statement of either database with room for others. */
const MOST_VALUES = 500

export function inGroups(copies: readonly number[]): number[][] {
  const groups: number[][] = []
  for (let at = 0; at < copies.length; at += MOST_VALUES) {
    groups.push(copies.slice(at, at + MOST_VALUES))
  }
  return groups
}
