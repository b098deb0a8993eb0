import { type RawBuilder, sql } from 'kysely'
import type { SqlDialect } from '../db/dialect.ts'
import type { Random } from '../random.ts'

/** The columns of a table whose rows are worked on by one holder at a time. */
export interface LeaseColumns {
  readonly lease_owner: string | null
  readonly lease_until: number | null
}

/**
 * A name for one holding, `<process>/<random>`: two holdings of one process must not pass for each
 * other, or a holder that lost its lease to a neighbour thread would go on renewing it.
 */
export function newHolder(owner: string, random: Random): string {
  return `${processOf(owner)}/${random.text(12)}`
}

/** True for rows of the table that nobody alive holds. */
export function leaseIsFree(
  { singleProcess, nowMs }: SqlDialect,
  table: string,
  owner: string,
): RawBuilder<boolean> {
  const until = sql.ref(`${table}.lease_until`)
  const expired = sql<boolean>`(${until} is null or ${until} <= ${nowMs()})`
  if (!singleProcess) return expired
  const mine = `${processOf(owner)}/`
  const holder = sql.ref(`${table}.lease_owner`)
  return sql<boolean>`(${expired} or substr(${holder}, 1, ${mine.length}) <> ${mine})`
}

function processOf(owner: string): string {
  return owner.split('/', 1)[0] ?? owner
}
