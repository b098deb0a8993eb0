import type { SqlDialect } from '#db'
import { invalid } from '#kernel'
import type { Component, ContentModel, ContentType } from '../../model.ts'
import type { CopyState } from '../ast.ts'
import { type Piece, type Sql, sql } from '../fragment.ts'

/** What one statement is compiled with. */
export interface Compiling {
  readonly dialect: SqlDialect
  readonly state: CopyState
  readonly defaultLocale: string
  /** By which entries without a language choose variants of others; else the default locale. */
  readonly locale?: string
  /** A name not used in the statement before; always the same for the same query shape. */
  alias(letter: string): string
  /** Noted by whatever no index serves: the statement then ends itself at its deadline. */
  noteScan(): void
  readonly mayScan: boolean
}

function createCompiling(
  given: Pick<Compiling, 'dialect' | 'state' | 'defaultLocale' | 'locale'>,
): Compiling {
  let last = 0
  let mayScan = false
  return {
    ...given,
    alias: (letter) => `${letter}${++last}`,
    noteScan() {
      mayScan = true
    },
    get mayScan() {
      return mayScan
    },
  }
}

/** By which locale the relations of a row choose variants (content model §4). */
interface RowLocale {
  readonly sql: Sql
  /** The same for all rows: a subquery that uses it need not be asked again for each. */
  readonly fixed: boolean
}

/** A row of the statement that names are looked up in. */
export type Row =
  | {
      readonly kind: 'entry'
      readonly alias: string
      readonly type: ContentType
      readonly locale: RowLocale
    }
  | {
      readonly kind: 'part'
      readonly alias: string
      readonly component: Component
      readonly locale: RowLocale
    }
  | { readonly kind: 'file' | 'indexed'; readonly alias: string }

export function column(alias: string, name: string): Sql {
  return sql.ref(`${alias}.${name}`)
}

/** Written out and not bound, because partial indexes are chosen by it. */
export function isVisible({ state }: Compiling, type: ContentType, alias: string): Sql {
  const flag = state === 'working' && type.draftAndPublish ? 'work' : 'live'
  return sql`${column(alias, flag)} = 1`
}

export function localeOf(to: Compiling, type: ContentType, alias: string): RowLocale {
  if (type.localized) return { sql: column(alias, 'locale'), fixed: false }
  return fixedLocale(to.locale ?? to.defaultLocale)
}

export function fixedLocale(code: string): RowLocale {
  return { sql: sql.val(code), fixed: true }
}

export const ALWAYS: Sql = sql`1 = 1`
export const NEVER: Sql = sql`1 = 0`

export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return ALWAYS
  return sql.join(inBrackets(conditions, allOf), sql` and `)
}

export function anyOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return NEVER
  return sql`(${sql.join(inBrackets(conditions, anyOf), sql` or `)})`
}

/** Side by side conditions are as deep as they are many, and SQLite takes a depth of a thousand. */
const SIDE_BY_SIDE = 50

function inBrackets(conditions: readonly Sql[], join: (some: readonly Sql[]) => Sql): Sql[] {
  if (conditions.length <= SIDE_BY_SIDE) return [...conditions]
  const count = Math.ceil(conditions.length / SIDE_BY_SIDE)
  return Array.from({ length: count }, (_, at) => {
    const some = conditions.slice(at * SIDE_BY_SIDE, (at + 1) * SIDE_BY_SIDE)
    return sql`(${join(some)})`
  })
}

/** What plans are made with: the only way to the compiler, for whatever statement. */
export interface Planning {
  compiling(state: CopyState): Compiling
  toText(piece: Piece): { readonly sql: string; readonly parameters: readonly unknown[] }
  /** Called for every plan that is compiled: none may be for a question that differs in values alone. */
  countPlan(): void
  /** Related entries and files that one answer may show. */
  readonly mostRelated: number
}

/** `locale`: by which entries without a language choose variants of others; else the default locale. */
export function createPlanning(
  {
    dialect,
    toText,
    countPlan,
    mostRelated,
  }: Omit<Planning, 'compiling'> & { readonly dialect: SqlDialect },
  { defaultLocale }: ContentModel,
  locale: string | null = null,
): Planning {
  return {
    compiling: (state) =>
      createCompiling({ dialect, state, defaultLocale, ...(locale && { locale }) }),
    toText: (piece) => toText(limited(piece)),
    countPlan,
    mostRelated,
  }
}

/** SQLite takes 32,766 bound values, PostgreSQL twice as many; both refuse the same here. */
const MOST_VALUES = 32_000

/** Only a filter over very many types can hold more. */
function limited(piece: Piece): Piece {
  if (piece.gaps.length <= MOST_VALUES) return piece
  const message = `compares more than ${MOST_VALUES} values over all types; ask for fewer at once`
  throw invalid([{ path: ['filter'], rule: 'too_many', message: `filter ${message}` }])
}
