import { type RawBuilder, sql } from 'kysely'
import type { SqlDialect } from '#kernel'
import { kindOf } from '../../fields/index.ts'
import { columnOf, type StoredColumn } from '../../fields/kind.ts'
import type { JsonValue } from '../../json.ts'
import { type FieldSet, isScalar, type ScalarAttribute } from '../../model.ts'
import type { Runner } from '../run.ts'
import type { CurrentValues } from './to-entry.ts'

interface Stored {
  readonly shape: number
  readonly doc: string
  readonly hidden: string
}

type Columns = Readonly<Record<string, StoredColumn | null>>

/**
 * The values of copies (or parts) as their type is now. Those that were written under the same shape
 * are taken as they are; the others are rendered from their columns, all with one statement.
 */
export async function currentValues<Row extends Stored>(
  { run, dialect }: Runner & { readonly dialect: SqlDialect },
  set: FieldSet,
  key: { readonly column: 'copy_no' | 'part_no'; of(row: Row): number },
  rows: readonly Row[],
): Promise<(row: Row) => CurrentValues> {
  const old = rows.filter((row) => row.shape !== set.shape)
  if (old.length === 0) return ({ doc, hidden }) => ({ json: doc, hidden })
  const shown = set.attributes.filter(isScalar).filter(isShown)
  const columns = await run(selectColumns(dialect, set, key.column, shown, old.map(key.of)), false)
  const byKey = new Map(columns.map((row) => [Number(row.key), row]))
  return (row) => {
    const found = row.shape === set.shape ? undefined : byKey.get(key.of(row))
    return { json: found ? render(shown, found) : row.doc, hidden: row.hidden }
  }
}

function isShown({ private: isPrivate, type }: ScalarAttribute): boolean {
  return !isPrivate && type !== 'password'
}

/** Integers are read as text, so that none is rounded. */
function selectColumns(
  dialect: SqlDialect,
  { table }: FieldSet,
  key: string,
  attributes: readonly ScalarAttribute[],
  keys: readonly number[],
): RawBuilder<Columns> {
  const columns = attributes.map((attribute) => {
    const name = sql.ref(columnOf(attribute))
    const isWhole = kindOf(attribute).column.kind === 'integer'
    return isWhole ? sql`cast(${name} as text) as ${name}` : name
  })
  const selected = sql.join([sql`${sql.ref(key)} as key`, ...columns])
  return sql<Columns>`select ${selected} from ${sql.table(table)} where ${dialect.isOneOf(sql.ref(key), keys, 'integer')}`
}

function render(attributes: readonly ScalarAttribute[], columns: Columns): string {
  const values: Record<string, JsonValue> = {}
  for (const attribute of attributes) {
    const stored = columns[columnOf(attribute)] ?? null
    values[attribute.name] =
      stored === null ? null : kindOf(attribute).fromColumn(stored, attribute)
  }
  return JSON.stringify(values)
}
