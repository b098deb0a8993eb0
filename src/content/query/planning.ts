import type { SqlDialect } from '#db'
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
}

/** `locale`: by which entries without a language choose variants of others; else the default locale. */
export function createPlanning(
  {
    dialect,
    toText,
    countPlan,
  }: Pick<Planning, 'toText' | 'countPlan'> & { readonly dialect: SqlDialect },
  { defaultLocale }: ContentModel,
  locale: string | null = null,
): Planning {
  return {
    compiling: (state) =>
      createCompiling({ dialect, state, defaultLocale, ...(locale && { locale }) }),
    toText,
    countPlan,
  }
}
