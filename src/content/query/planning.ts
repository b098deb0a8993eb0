import type { SqlDialect } from '#db'
import { invalid } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { CopyState } from './ast.ts'
import type { Piece } from './fragment.ts'
import { type Compiling, createCompiling } from './sql/context.ts'

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
