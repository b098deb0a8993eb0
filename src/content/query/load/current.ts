import { type Cells, type RowsWith, rowsWith, type SqlDialect } from '#db'
import { readValues, renderDocument, selectValues } from '../../document.ts'
import type { FieldSet } from '../../model.ts'
import { sql } from '../fragment.ts'
import type { Runner } from '../run.ts'
import { textAt, wholeAt } from './cells.ts'

/** Where the rows of a step hold documents, and of what. */
export interface Documented {
  readonly step: number
  readonly set: FieldSet
  readonly key: 'copy_no' | 'part_no'
  /** Places of the key, the shape and the document. */
  readonly keyAt: number
  readonly shapeAt: number
  readonly docAt: number
  /** Other rows of the step are of something else. */
  readonly only?: RowsWith
}

/** Documents as their type is now, by their rows, where these hold older ones. */
type Renewed = ReadonlyMap<Cells, string>

type Values = Readonly<Record<string, unknown>>

export const NONE_RENEWED: Renewed = new Map()

export function documentOf(renewed: Renewed, row: Cells, docAt: number): string {
  return (renewed.size > 0 ? renewed.get(row) : undefined) ?? textAt(row, docAt)
}

/** Documents that were written under the present shape are taken as they are, which is the rule. */
export function isCurrent(
  documented: readonly Documented[],
  told: readonly (readonly Cells[])[],
): boolean {
  return documented.every(({ step, set, shapeAt, only }) =>
    rowsWith(told[step] ?? [], only).every((row) => row[shapeAt] === set.shape),
  )
}

/** The others are rendered from their columns, all of a step with one statement. */
export async function renewDocuments(
  to: Runner & { readonly dialect: SqlDialect },
  documented: readonly Documented[],
  told: readonly (readonly Cells[])[],
): Promise<Renewed> {
  const renewed = new Map<Cells, string>()
  await Promise.all(documented.map((each) => renewStep(to, each, told[each.step] ?? [], renewed)))
  return renewed
}

async function renewStep(
  { run, dialect }: Runner & { readonly dialect: SqlDialect },
  { set, key, keyAt, shapeAt, only }: Documented,
  rows: readonly Cells[],
  renewed: Map<Cells, string>,
): Promise<void> {
  const old = rowsWith(rows, only).filter((row) => row[shapeAt] !== set.shape)
  if (old.length === 0) return
  const name = sql.ref(`c.${key}`)
  const selected = sql.join([sql`${name} as key`, ...selectValues(set, 'c')])
  const keys = old.map((row) => wholeAt(row, keyAt))
  const found = await run(
    sql<Values>`select ${selected} from ${sql.table(set.table)} as c where ${dialect.isOneOf(name, keys, 'integer')}`,
    false,
  )
  const byKey = new Map(found.map((values) => [values['key'], values]))
  for (const row of old) {
    const values = byKey.get(row[keyAt])
    if (values) renewed.set(row, renderDocument(set, readValues(set, values)))
  }
}
