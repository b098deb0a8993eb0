import type { Compilable, Kysely, Transaction } from 'kysely'
import type { Ask, AskKind } from './ask.ts'
import type { SqlDialect } from './dialect.ts'

/** The tables nobody here knows: modules narrow it with `$pickTables` or `tx.as<OwnTables>()`. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where the union of all modules' tables is opaque
export type AnyTables = any

/** One of the statements of a write that is known wholly before it begins. */
export interface WriteStep {
  readonly query: Compilable
  /** Unless it changes a row, or a select finds one, nothing of the write happens. */
  readonly mustChange?: boolean
  /** It appends events: with one writer they get their `seq` in the commit of the write. */
  readonly isEvent?: boolean
  /** As `Tx.afterCommit`. */
  readonly afterCommit?: () => void | Promise<void>
}

/** A transaction that may span modules; each sees only its own tables through `as`. */
export interface Tx {
  as<Tables>(): Transaction<Tables>
  /**
   * A plan (`Store.write`): it reads what is committed, its changes happen together at its end and
   * cannot be read before, and everything it was decided by must be guarded.
   */
  readonly isPlan: boolean
  /**
   * A plan whose guard finds no row when it is carried out is made again. A transaction needs none:
   * its locks hold what it has read.
   */
  guard(query: Compilable): void
  /** The rows that a change returns; of a plan they can be asked for after the commit only. */
  returning<Row>(query: Compilable<Row>): Promise<() => readonly Row[]>
  /** Runs after a successful commit, never after a rollback; failures are logged, not thrown. */
  afterCommit(work: () => void | Promise<void>): void
  /** One refused item inside a batch: the inner work is undone, the transaction goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
}

/** What else belongs into the transaction of a change, given what the change has come to. */
export type Alongside<T> = (tx: Tx, result: T) => Promise<void>

/** Whether a request was carried out by an earlier try; for work that finds by itself what was done. */
export interface Receipt {
  readonly isThere: boolean
  /** Leaves one, in the transaction of the effect. */
  keep(tx: Tx): Promise<void>
}

export interface Times {
  count: number
  ms: number
}

/** A read that may scan, and one that did when it was last asked. */
export type LongRead = Exclude<AskKind, 'read'>

/** One database file (SQLite) or the database itself (PostgreSQL). */
export interface Store {
  /** For GETs. On SQLite these are threads of their own; never use it inside a transaction. */
  readonly reader: Kysely<AnyTables>
  /** For queries that may scan a whole table: at most one at a time on SQLite, bounded in time. */
  readonly scanner: Kysely<AnyTables>
  /** For statements of GETs that are asked again and again. */
  readonly ask: Ask
  /**
   * For reads that may take long: so many at a time, those who ask take turns, and whoever waits for too long is
   * refused. None may wait for another one while it has its turn.
   */
  inTurn<T>(kind: LongRead, asker: string, read: () => Promise<T>): Promise<T>
  /** Another one after every commit of whomever; undefined where only a statement can tell, or just after one. */
  mark(): bigint | undefined
  /** How many statements were asked that way in this thread. */
  asked(): number
  /** What the database took so far for what this thread has asked. */
  readonly times: { readonly read: Times; readonly write: Times }
  /** For single statements that change something; several statements belong into `transaction`. */
  readonly writer: Kysely<AnyTables>
  /**
   * Joins `tx` when given, else opens one. Await nothing but SQL inside: on SQLite every other
   * writer waits until it commits.
   */
  transaction<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * One write as a unit. `work` makes a plan: it reads through readers, and its changes, guards and
   * events are then carried out together, in one message (SQLite) or one round trip (PostgreSQL);
   * on SQLite all plans that wait share one commit. When a guard fails `work` is done again; after
   * three times, and when it throws `NeedsTransaction`, it is done in a transaction, alone. What it
   * answers is asked for its result after the commit.
   */
  write<T>(work: (tx: Tx) => Promise<() => T>): Promise<T>
  /**
   * A plan of steps that need no answer in between; false: one that must change something did not,
   * and nothing happened. No other writer waits for a thread that is busy or has no core.
   */
  carryOut(steps: readonly WriteStep[]): Promise<boolean>
}

export interface Database {
  readonly dialect: SqlDialect
  /** Everything that must survive. */
  readonly main: Store
  /** Usage and logs: a second file on SQLite, the same database on PostgreSQL. */
  readonly aux: Store
  /** `Store.times` of all of them. */
  times(): readonly (readonly [kind: 'read' | 'write', Times])[]
  close(): Promise<void>
}
