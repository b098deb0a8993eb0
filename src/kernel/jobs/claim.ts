import { type Expression, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Store } from '../db/database.ts'
import type { SqlDialect } from '../db/dialect.ts'
import { type LooseRow, type LooseSelect, looseStep, typedRows } from '../db/loose.ts'
import type { Random } from '../random.ts'
import { type LeaseColumns, leaseIsFree, newHolder } from './lease-columns.ts'

interface Deps {
  readonly store: Store
  readonly dialect: SqlDialect
  /** The name of this process, new with every start and the same in all of its threads. */
  readonly owner: string
  readonly random: Random
}

/** The tables whose rows carry a lease. */
type LeasedTable<Tables> = {
  [T in keyof Tables & string]: Selectable<Tables[T]> extends LeaseColumns ? T : never
}[keyof Tables & string]

type Row<Tables, T extends keyof Tables> = Selectable<Tables[T]>
type Column<Tables, T extends keyof Tables> = keyof Row<Tables, T> & string

export interface ClaimOptions<
  Tables,
  T extends keyof Tables & string,
  K extends Column<Tables, T>,
> {
  readonly table: T
  /** The primary key. */
  readonly key: K
  /** Adds the condition that makes a row due; `nowMs` is the database's clock, usable by an index. */
  readonly due: (
    query: SelectQueryBuilder<Tables, T, object>,
    nowMs: Expression<number>,
  ) => SelectQueryBuilder<Tables, T, object>
  /** Columns, ascending: which of the due rows come first. */
  readonly order: readonly Column<Tables, T>[]
  /** At most 500: a longer write would hold up every other writer. */
  readonly limit: number
  readonly leaseMs: number
}

/** Rows that nobody else works on until their lease ends. */
export interface Claim<Row, Key> {
  readonly rows: readonly Row[]
  /**
   * What `lease_owner` of the rows holds now. A write that ends work on a row has to ask for it in
   * its condition, or a holder that came too late would overwrite its successor.
   */
  readonly holder: string
  /** Prolongs the leases by the same time and returns the keys that are still ours. */
  renew(keys: readonly Key[]): Promise<Key[]>
  /** Lets others have the rows at once; rows that are no longer ours stay untouched. */
  release(keys: readonly Key[]): Promise<void>
}

interface LooseOptions {
  readonly table: string
  readonly key: string
  readonly due: (query: LooseSelect, nowMs: Expression<number>) => LooseSelect
  readonly order: readonly string[]
  readonly limit: number
  readonly leaseMs: number
}

/**
 * Due rows of a module's own table, each given to one claimer only. A row whose holder died is due
 * again when its lease ends, or at once when the database belongs to a single process.
 */
export function createClaims<Tables>({ store, dialect, owner, random }: Deps) {
  return { claim, isFree }

  /** For those who choose before they claim: true for rows that nobody alive holds. */
  function isFree(table: LeasedTable<Tables>) {
    return leaseIsFree(dialect, table, owner)
  }

  async function claim<T extends LeasedTable<Tables>, K extends Column<Tables, T>>(
    options: ClaimOptions<Tables, T, K>,
  ): Promise<Claim<Row<Tables, T>, Row<Tables, T>[K]>> {
    const loose = { ...options, due: looseStep(options.due) }
    const holder = newHolder(owner, random)
    const rows = typedRows<Row<Tables, T>>(await take(loose, holder))
    return {
      rows,
      holder,
      renew: async (keys) => {
        const kept = await renew(loose, holder, keys)
        return typedRows<Row<Tables, T>>(kept).map((row) => row[options.key])
      },
      release: (keys) => release(loose, holder, keys),
    }
  }

  /**
   * Claimers pass over rows that another one is just taking (PostgreSQL), or come one after the
   * other (SQLite). One statement, so no other writer waits for more than that.
   */
  async function take(options: LooseOptions, holder: string): Promise<LooseRow[]> {
    const { table, key, due, order, limit, leaseMs } = options
    const free = due(store.writer.selectFrom(table).select(`${table}.${key}`), dialect.nowMs())
      .where(leaseIsFree(dialect, table, owner))
      .limit(limit)
    const first = order
      .reduce((query, column) => query.orderBy(sql.ref(`${table}.${column}`)), free)
      .$if(dialect.rowLocks, (query) => query.forUpdate(table).skipLocked())
    const taken = await store.writer
      .with(
        (name) => name('free').materialized(),
        () => first,
      )
      .updateTable(table)
      .set({ lease_owner: holder, lease_until: untilMs(leaseMs) })
      .where(key, 'in', store.writer.selectFrom('free').select(key))
      .returningAll()
      .execute()
    return taken.toSorted(by(order))
  }

  async function renew({ table, key, leaseMs }: LooseOptions, holder: string, keys: Keys) {
    if (keys.length === 0) return []
    return store.writer
      .updateTable(table)
      .set({ lease_until: untilMs(leaseMs) })
      .where(key, 'in', keys)
      .where('lease_owner', '=', holder)
      .returning(key)
      .execute()
  }

  async function release({ table, key }: LooseOptions, holder: string, keys: Keys) {
    if (keys.length === 0) return
    await store.writer
      .updateTable(table)
      .set({ lease_owner: null, lease_until: null })
      .where(key, 'in', keys)
      .where('lease_owner', '=', holder)
      .execute()
  }

  function untilMs(ms: number) {
    return sql<number>`${dialect.nowMs()} + ${ms}`
  }
}

type Keys = readonly unknown[]

/** What an update returns is in no order. */
function by(columns: readonly string[]) {
  return (a: LooseRow, b: LooseRow): number => {
    const column = columns.find((name) => a[name] !== b[name])
    if (column === undefined) return 0
    const [x, y] = [a[column], b[column]]
    if (typeof x === 'number' && typeof y === 'number') return x - y
    return String(x) < String(y) ? -1 : 1
  }
}
