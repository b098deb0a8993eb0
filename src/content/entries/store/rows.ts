import { sql } from 'kysely'
import { prepared } from '#db'
import { renderDocument, renderHidden, scalarsOf } from '../../document.ts'
import { kindOf } from '../../fields/index.ts'
import { type ColumnValue, columnOf, foldColumnOf } from '../../fields/kind.ts'
import { fold } from '../../fold.ts'
import type { FieldSet } from '../../model.ts'
import type { Body } from '../body.ts'
import { compiledBy, type Trx } from './statements.ts'

/** Names of columns with what they are to hold. */
export type Columns = ReadonlyMap<string, ColumnValue>

/** Every column that follows from the body: values, folded texts, document. */
export function columnsOf(set: FieldSet, body: Body): Map<string, ColumnValue> {
  const columns = new Map<string, ColumnValue>([
    ['shape', set.shape],
    ['doc', renderDocument(set, body.values)],
    ['hidden', renderHidden(body.formats)],
  ])
  for (const attribute of scalarsOf(set)) {
    const kind = kindOf(attribute)
    const value = body.values.get(attribute.no)
    const stored = value === undefined ? null : kind.toColumn(value, attribute)
    columns.set(columnOf(attribute), stored)
    if (kind.column.folded) {
      columns.set(foldColumnOf(attribute), stored === null ? null : fold(String(stored)))
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

/** Well below what either database takes. */
const MOST_PARAMETERS = 15_000

/** All rows have the same columns. */
export async function insertRows(trx: Trx, table: string, rows: readonly Columns[]) {
  const [first] = rows
  if (!first) return
  const names = [...first.keys()]
  const size = Math.max(1, Math.floor(MOST_PARAMETERS / first.size))
  for (let at = 0; at < rows.length; at += size) {
    const some = rows.slice(at, at + size)
    const values = some.flatMap((row) => [...row.values()])
    const key = `insert ${some.length} into ${table}: ${names.join()}`
    await trx.executeQuery(
      prepared(trx, key, values, () => compiledBy(trx, inserting(table, names, some))),
    )
  }
}

function inserting(table: string, names: readonly string[], rows: readonly Columns[]) {
  const into = sql.join(names.map((name) => sql.ref(name)))
  const values = rows.map((row) => sql`(${sql.join([...row.values()])})`)
  return sql`insert into ${sql.table(table)} (${into}) values ${sql.join(values)}`
}

export async function updateRow(
  trx: Trx,
  table: string,
  columns: Columns,
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
