import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { prepared, type SqlDialect, type Tx } from '#db'
import type { ColumnValue } from '../../fields/kind.ts'
import type { ContentTables } from '../../tables.ts'

export type Trx = Transaction<ContentTables>

/** How a write keeps what it has read: a transaction by locks, a plan by guards. */
export interface Holding {
  readonly tx: Tx
  readonly trx: Trx
  readonly dialect: Pick<SqlDialect, 'rowLocks' | 'isOneOf' | 'bindList' | 'lockName'>
}

/** Rows are locked while they are read; the guards of a plan lock them later. */
export function locksReads({ tx, dialect }: Holding): boolean {
  return dialect.rowLocks && !tx.isPlan
}

/**
 * Writers of what this names follow each other: that there is no such row yet, two that look at once would both find.
 * What is asked after this, or guarded after it, is as the one before has left it.
 */
export async function holdName({ tx, trx, dialect }: Holding, name: string): Promise<void> {
  if (!dialect.rowLocks) return
  const lock = dialect.lockName(`content ${name}`)
  if (tx.isPlan) tx.guard({ compile: () => lock.compile(trx) })
  else await lock.execute(trx)
}

type Guarding = Pick<Holding, 'tx' | 'trx'>

/** A plan holds only while a query like this still finds nothing. `key` and `values` as of `prepared`. */
export function guardNone(
  { tx, trx }: Guarding,
  key: string,
  values: readonly unknown[],
  query: () => RawBuilder<unknown>,
) {
  if (!tx.isPlan) return
  const text = () => compiledBy(trx, sql`select 1 where not exists (${query()})`)
  tx.guard({ compile: () => prepared(trx, `none: ${key}`, values, text) })
}

/** A plan holds only while this is the answer to a query of one number. */
export function guardCount(
  { tx, trx }: Guarding,
  key: string,
  values: readonly unknown[],
  query: () => RawBuilder<unknown>,
  count: number,
) {
  if (!tx.isPlan) return
  const text = () => compiledBy(trx, sql`select 1 where (${query()}) = ${count}`)
  tx.guard({ compile: () => prepared(trx, `count: ${key}`, [...values, count], text) })
}

/** What a column is compared with, in a statement that is kept. */
interface Among {
  /** Belongs into the key of the statement. */
  readonly key: string
  readonly bound: unknown
  has(column: RawBuilder<unknown>): Expression<SqlBool>
}

/** Of a single value no list is made: taking it apart would cost SQLite more than finding its row. */
export function among(
  dialect: Pick<SqlDialect, 'isOneOf' | 'bindList'>,
  values: readonly Exclude<ColumnValue, null>[],
  of: Parameters<SqlDialect['isOneOf']>[2],
): Among {
  const [only] = values
  if (values.length === 1) {
    return { key: 'one', bound: only, has: (column) => sql<SqlBool>`${column} = ${only}` }
  }
  const list = dialect.bindList(values)
  return { key: 'some', bound: list, has: (column) => dialect.isOneOf(column, sql`${list}`, of) }
}

export function compiledBy<Row>(trx: Trx, query: RawBuilder<Row>) {
  return { compile: () => query.compile(trx) }
}

/** Both databases limit how many values a statement may carry. */
const AT_ONCE = 500

/** Does the work for at most so many items at a time; never for none. */
export async function inChunks<Item>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await work(items.slice(at, at + AT_ONCE))
}

/** The same for what answers with rows. */
export async function gatherInChunks<Item, Row>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: (readonly Row[])[] = []
  await inChunks(items, async (chunk) => rows.push(await work(chunk)))
  return rows.flat()
}
