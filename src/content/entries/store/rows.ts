import { sql } from 'kysely'
import { insertsOf, type NewRow, prepared } from '#db'
import { renderDocument, renderHidden, scalarsOf } from '../../document.ts'
import { foldedText, kindOf } from '../../fields/index.ts'
import { type ColumnValue, columnOf, foldColumnOf } from '../../fields/kind.ts'
import type { FieldSet } from '../../model.ts'
import type { Body } from '../body.ts'
import { compiledBy, type Trx } from './statements.ts'

/** Every column that follows from the body: values, folded texts, document; behind those that are there. */
export function columnsOf(
  set: FieldSet,
  body: Body,
  columns = new Map<string, ColumnValue>(),
): Map<string, ColumnValue> {
  columns.set('shape', set.shape)
  columns.set('doc', renderDocument(set, body.values))
  columns.set('hidden', renderHidden(body.formats))
  for (const attribute of scalarsOf(set)) {
    const kind = kindOf(attribute)
    const value = body.values.get(attribute.no)
    const stored = value === undefined ? null : kind.toColumn(value, attribute)
    columns.set(columnOf(attribute), stored)
    if (kind.column.folded) {
      columns.set(
        foldColumnOf(attribute),
        value === undefined ? null : foldedText(attribute, value),
      )
    }
  }
  return columns
}

/** All columns that hold a body, as the table names them. */
export function bodyColumns(set: FieldSet): string[] {
  const own = scalarsOf(set).flatMap((attribute) =>
    kindOf(attribute).column.folded
      ? [columnOf(attribute), foldColumnOf(attribute)]
      : [columnOf(attribute)],
  )
  return ['shape', 'doc', 'hidden', ...own]
}

/** All rows have the same columns. */
export async function insertRows(trx: Trx, table: string, rows: readonly NewRow[]) {
  for (const insert of insertsOf(trx, table, rows)) await trx.executeQuery(insert)
}

export async function updateRow(
  trx: Trx,
  table: string,
  columns: NewRow,
  key: { readonly column: string; readonly value: number },
) {
  const name = `update ${table} by ${key.column}: ${[...columns.keys()].join()}`
  const text = () => {
    const changes = [...columns].map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    return compiledBy(
      trx,
      sql`update ${sql.table(table)} set ${sql.join(changes)} where ${sql.ref(key.column)} = ${key.value}`,
    )
  }
  await trx.executeQuery(prepared(trx, name, [...columns.values(), key.value], text))
}
