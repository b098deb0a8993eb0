import type { Expression, RawBuilder } from 'kysely'
import type { Cell } from './ask.ts'
import type { Sequences } from './sequences.ts'
import type { TextIndex } from './text-index.ts'

/** Of a database that plans its statements by how many rows tables have. */
export interface TableCounts {
  /** Tables that are planned as much smaller ones than they are. */
  readonly grown: RawBuilder<{ readonly table: string }>
  count(table: string): RawBuilder<unknown>
}

/**
 * What differs between the two databases. Everything outside `kernel/db` asks for a capability
 * here and never for a database by name.
 */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres'
  /** Rows can be locked and skipped; otherwise a transaction already excludes all other writers. */
  readonly rowLocks: boolean
  /** Only one server process uses this database, so leases of earlier processes are dead. */
  readonly singleProcess: boolean
  /** All steps of a batch see the same moment. */
  readonly batchesAreOneMoment: boolean
  /** As the database names itself. */
  readonly version: RawBuilder<string>
  /** How much room the database takes. */
  readonly size: RawBuilder<number>
  /** The database's clock in epoch milliseconds, moved by the test clock. */
  nowMs(): RawBuilder<number>
  /**
   * True while the query's time is not used up. Belongs first into the condition of every query that
   * may scan a table, with a column of the innermost table, so that the database itself ends it.
   */
  withinDeadline(column: string): RawBuilder<boolean>
  /**
   * Membership in a list of any length that is bound as one value: the text of the query stays. An
   * expression stands for a list made by `bindList`.
   */
  isOneOf(
    value: Expression<unknown>,
    list: readonly (string | number | bigint)[] | Expression<unknown>,
    of: 'text' | 'integer' | 'double',
  ): RawBuilder<boolean>
  bindList(list: readonly Cell[]): unknown
  /** Of texts that are looked for within others. */
  bindParts(list: readonly string[]): unknown
  /**
   * The number that an object gives to the value, null when it names no such: `ranks` is its JSON text,
   * read once for the statement. Of texts and whole numbers.
   */
  rankOf(value: Expression<unknown>, ranks: Expression<unknown>): RawBuilder<number | null>
  /** By code points, case-sensitive; no character of `part` is special. */
  contains(text: Expression<unknown>, part: Expression<unknown>): RawBuilder<boolean>
  /** One of the texts of a list made by `bindParts`. */
  containsOneOf(text: Expression<unknown>, parts: Expression<unknown>): RawBuilder<boolean>
  /** Has a word of `wordsOf` whole; of folded text only. */
  hasWord(text: Expression<unknown>, word: Expression<unknown>): RawBuilder<boolean>
  endsWith(text: Expression<unknown>, part: Expression<unknown>): RawBuilder<boolean>
  /** `%` stands for any text, `_` for one character, nothing else is special. Of folded text only. */
  like(text: Expression<unknown>, pattern: Expression<unknown>): RawBuilder<boolean>
  /** The number that a text of one to nine digits spells; null for any other. */
  wholeNumber(text: Expression<unknown>): RawBuilder<number | null>
  isUniqueViolation(error: unknown): boolean
  /** The database gave this transaction up in favour of another; tried again it can succeed. */
  isDeadlock(error: unknown): boolean
  /** The database did not answer at all (as opposed to refusing the statement). */
  isUnavailable(error: unknown): boolean
  /**
   * Gives a database that lacks it the function `json_member(text, name)`: the text of a member of an object, null
   * where it is null or absent. In code points, as its argument compares.
   */
  readonly defineJsonMember: RawBuilder<unknown>
  /** Numbers given once, without one writer waiting for another's commit where that is possible. */
  readonly sequences: Sequences
  readonly textIndex: TextIndex
  /** Undefined where plans do not depend on it. */
  readonly counts: TableCounts | undefined
  /** Column types whose names differ. */
  readonly types: {
    readonly bigint: RawBuilder<unknown>
    readonly bytes: RawBuilder<unknown>
    readonly double: RawBuilder<unknown>
    /** A generated 64-bit primary key column, definition included. */
    readonly serial: RawBuilder<unknown>
    /** Text compared and sorted by bytes. */
    readonly text: RawBuilder<unknown>
  }
  /** Makes a generated key one that rows are given, from a sequence where they are not. */
  giveKeys(table: string, column: string, sequence: string): RawBuilder<unknown>
  readonly indexes: {
    /** Between `index` and its name: writers need not wait, where that can be had. */
    readonly concurrently: RawBuilder<unknown>
    /** Run on the connection before and after a build, which may take as long as it needs. */
    readonly beforeBuild: RawBuilder<unknown>
    readonly afterBuild: RawBuilder<unknown>
    /** Stands for a column whose texts may be longer than an index entry can be. */
    longKey(column: Expression<unknown>): RawBuilder<unknown>
    /** A column that may be null, in an index for orders where nulls come lowest. */
    nullsLowest(column: Expression<unknown>): RawBuilder<unknown>
    /** Behind the columns of an index: it also holds the table's key, and so is enough to find rows by. */
    withKey(key: Expression<unknown>): RawBuilder<unknown>
    /** For a page of a sorted list the planner weighs an index in that order against one of the filter. */
    readonly weighedByLimit: boolean
    /** The same value, for which no index is used, where the planner can be told so. */
    unused(value: Expression<unknown>): RawBuilder<unknown>
  }

  /**
   * Until the transaction ends nobody else writes to the table, or nobody uses it at all. Whoever
   * builds an index meanwhile waits for all that hold the table, so it comes before other uses of it.
   */
  lockTable(table: string, against: 'writers' | 'all'): RawBuilder<unknown>
  /** Until the transaction ends nobody else gets the lock of this name; it guards what has no row. */
  lockName(name: string): RawBuilder<unknown>
  /** The same, held together by all who take it so. */
  lockNameShared(name: string): RawBuilder<unknown>
}

export function isList<Item>(list: readonly Item[] | Expression<unknown>): list is readonly Item[] {
  return Array.isArray(list)
}
