import { sql } from 'kysely'
import { insertsOf, type NewRows, prepared } from '#db'
import { memoizeOf } from '#kernel'
import { renderDocument, renderHidden, scalarsOf } from '../../document.ts'
import { foldedText, kindOf } from '../../fields/index.ts'
import { type ColumnValue, columnOf, foldColumnOf } from '../../fields/kind.ts'
import type { FieldSet } from '../../model.ts'
import type { Body } from '../body.ts'
import { compiledBy, type Trx } from './statements.ts'

/** What every column holds that follows from the body: values, folded texts, document; behind those that are there. */
export function cellsOf(set: FieldSet, body: Body, cells: ColumnValue[] = []): ColumnValue[] {
  cells.push(set.shape, renderDocument(set, body.values), renderHidden(body.formats))
  for (const attribute of scalarsOf(set)) {
    const kind = kindOf(attribute)
    const value = body.values.get(attribute.no)
    cells.push(value === undefined ? null : kind.toColumn(value, attribute))
    if (kind.column.folded) cells.push(value === undefined ? null : foldedText(attribute, value))
  }
  return cells
}

/** The columns of `cellsOf`, as the table names them. */
export const bodyColumns = memoizeOf((set: FieldSet): readonly string[] => {
  const own = scalarsOf(set).flatMap((attribute) =>
    kindOf(attribute).column.folded
      ? [columnOf(attribute), foldColumnOf(attribute)]
      : [columnOf(attribute)],
  )
  return ['shape', 'doc', 'hidden', ...own]
})

export async function insertRows(trx: Trx, table: string, rows: NewRows) {
  for (const insert of insertsOf(trx, table, rows)) await trx.executeQuery(insert)
}

export async function updateRow(
  trx: Trx,
  table: string,
  { names, cells: [cells = []] }: NewRows,
  key: { readonly column: string; readonly value: number },
) {
  const name = `update ${table} by ${key.column}: ${names.join()}`
  const text = () => {
    const changes = names.map((column, at) => sql`${sql.ref(column)} = ${cells[at]}`)
    return compiledBy(
      trx,
      sql`update ${sql.table(table)} set ${sql.join(changes)} where ${sql.ref(key.column)} = ${key.value}`,
    )
  }
  await trx.executeQuery(prepared(trx, name, [...cells, key.value], text))
}
