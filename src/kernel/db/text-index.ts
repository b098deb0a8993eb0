import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { AnyTables } from './database.ts'

type Db = Kysely<AnyTables>

/** SQL of the row that has this alias. */
type OfRow = (alias: string) => Expression<unknown>

/** A text of a row that it is found by. */
export type IndexedText =
  | { readonly kind: 'folded'; readonly column: string }
  /** A number as answers show it. */
  | { readonly kind: 'shown'; readonly column: string; readonly sql: OfRow }
  /** A JSON list of texts in `column`; `folded` selects the same texts, folded, one a row. */
  | { readonly kind: 'list'; readonly column: string; readonly folded: OfRow }

/** A table whose rows an index holds, by facts that choose among what is found. */
export interface FollowedTable {
  readonly table: string
  /** What it is known by in the index. */
  readonly tableNo: number
  /** The column whose numbers name rows in the index; over all its tables no number comes twice. */
  readonly key: string
  /** What texts are made of. */
  readonly columns: readonly string[]
  /** Columns of the index: those of the row, or the same for all rows. */
  readonly facts: Readonly<Record<string, { readonly column: string } | { readonly is: number }>>
}

/** The same with the texts of its rows. */
export interface IndexedTable extends FollowedTable {
  readonly title: readonly IndexedText[]
  readonly text: readonly IndexedText[]
}

/** Shorter parts of a text no index of trigrams finds. */
export const SHORTEST_PART = 3

/**
 * Finds parts of texts of many tables at once, in a table of its own (`no`, `title`, `text` and the facts). It
 * holds texts as `spacedWords` makes them of folded text, the same on both databases. Triggers note in the transaction that
 * changes a row that the row waits (`<index>_waiting`: `no`, `table_no`), so nobody who writes need know of it. Its texts and their trigrams
 * are made later (`takeInWaiting`), because they cost more than the rest of a write. Of a row that waits the index holds nothing, or what
 * the row was before.
 */
export interface TextIndex {
  /** Once per database, by a migration, when the table of that name is made. */
  create(db: Db, index: string): Promise<void>
  /** Once per database, by a later migration: trigrams are no longer made in the transaction of a write. */
  letWait(db: Db, index: string): Promise<void>
  /** Once per database, by a still later one: nor are texts. `tableNo` is the fact that tells tables apart; all are to be followed again. */
  letTextsWait(db: Db, index: string, tableNo: string): Promise<void>
  /** From now on the index holds what is written to the table; called again, by the new description. */
  follow(db: Db, index: string, followed: FollowedTable): Promise<void>
  /** After the table was dropped. */
  forget(db: Db, table: string): Promise<void>
  /**
   * Takes in the next rows, which were written before it followed the table; in a transaction. The number of
   * the last one, null when there are no more.
   */
  fill(
    trx: Db,
    index: string,
    indexed: IndexedTable,
    after: number,
    most: number,
  ): Promise<number | null>
  /**
   * What takes in the next rows of the table that wait, in one transaction of about 10 ms, or so many times as much; the
   * last one touches no row when none waits.
   */
  takeInWaiting(index: string, indexed: IndexedTable, times: number): readonly RawBuilder<unknown>[]
  /** What keeps the index quick: to be done again and again after each step that has taken something in, until it does nothing. */
  tidy(index: string): readonly RawBuilder<unknown>[]
  /** Selects `no` of the rows of a table that wait, whatever their texts are. */
  waiting(index: string, tableNo: number): RawBuilder<unknown>
  /** The row of that number does not wait. */
  isTakenIn(index: string, no: Expression<unknown>): RawBuilder<boolean>
  /**
   * Selects `no` of all rows that do not wait and whose text has all of the parts, and perhaps of more: whoever asks
   * decides by the texts. Parts are texts as they are, of any length, or expressions that stand for what `bindPart` made.
   */
  maybeHaving(index: string, parts: readonly (string | Expression<unknown>)[]): RawBuilder<unknown>
  /** What the index would hold of a row that has this alias. */
  textOf(texts: readonly IndexedText[], alias: string): Expression<unknown>
  /** A folded text as the index would hold it. */
  spaced(text: Expression<unknown>): RawBuilder<unknown>
  /** What is bound for a part of at least `SHORTEST_PART` characters of `spacedWords`. */
  bindPart(part: string): string
}

/** Between the texts of a row, so that nothing is found across them; `spacedWords` leaves none in a text. */
export const BETWEEN_TEXTS = '\u001f'

export function waitingOf(index: string) {
  return sql.id(`${index}_waiting`)
}

export function waitingIn(index: string, tableNo: number): RawBuilder<unknown> {
  return sql`select no from ${waitingOf(index)} where table_no = ${sql.lit(tableNo)}`
}

/** Not by `not exists`, which PostgreSQL takes for a join, and then sorts all that is found before it takes the first. */
export function isTakenIn(index: string, no: Expression<unknown>): RawBuilder<boolean> {
  return sql`${no} not in (select w.no from ${waitingOf(index)} as w)`
}

export function factColumns({ facts }: FollowedTable): readonly string[] {
  return Object.values(facts).flatMap((fact) => ('column' in fact ? [fact.column] : []))
}
