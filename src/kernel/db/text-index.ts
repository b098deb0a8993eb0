import type { Expression, Kysely, RawBuilder } from 'kysely'
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

/** A table whose rows an index holds: their texts, and facts that choose among what is found. */
export interface IndexedTable {
  readonly table: string
  /** The column whose numbers name rows in the index; over all its tables no number comes twice. */
  readonly key: string
  readonly title: readonly IndexedText[]
  readonly text: readonly IndexedText[]
  /** Columns of the index: those of the row, or the same for all rows. */
  readonly facts: Readonly<Record<string, { readonly column: string } | { readonly is: number }>>
}

/** Shorter parts of a text no index of trigrams finds. */
export const SHORTEST_PART = 3

/**
 * Finds parts of texts of many tables at once, in a table of its own (`no`, `title`, `text` and the facts). It
 * holds texts as `spacedWords` makes them of folded text, the same on both databases. It changes in
 * the transaction that changes the row, by triggers: nobody who writes need know of it. Only the trigrams of a new text
 * are made later (`takeInWaiting`), because they cost more than the rest of a write; until then it is among `waiting`.
 */
export interface TextIndex {
  /** Once per database, by a migration, when the table of that name is made. */
  create(db: Db, index: string): Promise<void>
  /** Once per database, by a later migration: trigrams are no longer made in the transaction of a write. */
  letWait(db: Db, index: string): Promise<void>
  /** From now on the index holds what is written to the table; called again, by the new description. */
  follow(db: Db, index: string, indexed: IndexedTable): Promise<void>
  /** Before structures are changed in a transaction that has changed rows of an indexed table. */
  readonly settle: RawBuilder<unknown>
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
   * What makes the trigrams of the next texts that wait, in one transaction of about 10 ms, or so many times as much; the
   * last one touches no row when none waits.
   */
  takeInWaiting(index: string, times: number): readonly RawBuilder<unknown>[]
  /** What keeps the index quick: to be done again and again after each step that has taken something in, until it does nothing. */
  tidy(index: string): readonly RawBuilder<unknown>[]
  /** Selects `no` of all rows whose trigrams are still to be made, whatever their texts are. */
  waiting(index: string): RawBuilder<unknown>
  /**
   * Selects `no` of all rows that do not wait and whose text has all of the parts, and perhaps of more: whoever asks
   * decides by the texts. Parts are texts as they are, of any length, or expressions that stand for what `bindPart` made.
   */
  maybeHaving(index: string, parts: readonly (string | Expression<unknown>)[]): RawBuilder<unknown>
  /** A folded text as the index would hold it. */
  spaced(text: Expression<unknown>): RawBuilder<unknown>
  /** What is bound for a part of at least `SHORTEST_PART` characters of `spacedWords`. */
  bindPart(part: string): string
}

/** Between the texts of a row, so that nothing is found across them; `spacedWords` leaves none in a text. */
export const BETWEEN_TEXTS = '\u001f'

export function textColumns({ title, text }: IndexedTable): readonly string[] {
  return [...new Set([...title, ...text].map(({ column }) => column))]
}

export function factColumns({ facts }: IndexedTable): readonly string[] {
  return Object.values(facts).flatMap((fact) => ('column' in fact ? [fact.column] : []))
}
