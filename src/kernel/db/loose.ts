import type { SelectQueryBuilder } from 'kysely'
import type { AnyTables } from './database.ts'

// For kernel code that works on tables it does not know: its callers see their own types, and the
// two are joined here.

export type LooseRow = Record<string, unknown>
export type LooseSelect = SelectQueryBuilder<AnyTables, string, LooseRow>

/** Lets a step written for certain tables be applied to a query of unknown ones. */
export function looseStep<Query, More extends readonly unknown[]>(
  step: (query: Query, ...more: More) => Query,
): (query: LooseSelect, ...more: More) => LooseSelect {
  return step as (query: unknown, ...more: More) => LooseSelect
}

/** Names the type of rows that were selected whole from a table of that row type. */
export function typedRows<Row>(rows: readonly LooseRow[]): Row[] {
  return rows as Row[]
}
