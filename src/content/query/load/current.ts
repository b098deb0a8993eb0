import type { SqlDialect } from '#kernel'
import { readValues, renderDocument, selectValues } from '../../document.ts'
import type { FieldSet } from '../../model.ts'
import { sql } from '../fragment.ts'
import type { Runner } from '../run.ts'

interface Stored {
  readonly shape: number
  readonly doc: string
}

type Values = Readonly<Record<string, unknown>>

/**
 * The documents of copies (or parts) as their type is now. Those that were written under the same
 * shape are taken as they are; the others are rendered from their columns, all with one statement.
 */
export async function currentDocuments<Row extends Stored>(
  { run, dialect }: Runner & { readonly dialect: SqlDialect },
  set: FieldSet,
  key: { readonly column: 'copy_no' | 'part_no'; of(row: Row): number },
  rows: readonly Row[],
): Promise<(row: Row) => string> {
  const old = rows.filter((row) => row.shape !== set.shape).map(key.of)
  if (old.length === 0) return ({ doc }) => doc
  const name = sql.ref(`c.${key.column}`)
  const selected = sql.join([sql`${name} as key`, ...selectValues(set, 'c')])
  const found = await run(
    sql<Values>`select ${selected} from ${sql.table(set.table)} as c where ${dialect.isOneOf(name, old, 'integer')}`,
    false,
  )
  const byKey = new Map(found.map((row) => [row['key'], row]))
  return (row) => {
    const values = row.shape === set.shape ? undefined : byKey.get(key.of(row))
    return values ? renderDocument(set, readValues(set, values)) : row.doc
  }
}
