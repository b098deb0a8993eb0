import { type RawBuilder, sql } from 'kysely'
import { scalarsOf } from '../document.ts'
import { isUnique, kindOf } from '../fields/index.ts'
import { type ColumnValue, columnOf } from '../fields/kind.ts'
import type { ContentType, ScalarAttribute } from '../model.ts'
import type { Body } from './body.ts'
import type { Trx } from './store/statements.ts'

interface Whose {
  readonly locale: string
  readonly documentId: string
}

/** Attributes whose value another entry of the type has, in its live or its working copy. */
export async function findClashes(
  trx: Trx,
  type: ContentType,
  body: Body,
  whose: Whose,
): Promise<ScalarAttribute[]> {
  const checked = scalarsOf(type).filter(
    (attribute) => isUnique(attribute) && body.values.has(attribute.no),
  )
  if (checked.length === 0) return []
  const parts = checked.flatMap((attribute) => {
    const value = kindOf(attribute).toColumn(body.values.get(attribute.no) ?? null, attribute)
    const found = sql`cast(${attribute.no} as bigint)`
    return holders(type, attribute, found, [value], whose)
  })
  const { rows } = await sql<{ found: number }>`${sql.join(parts, sql` union all `)}`.execute(trx)
  const taken = new Set(rows.map((row) => row.found))
  return checked.filter(({ no }) => taken.has(no))
}

/** Which of these values of a uid other entries have. */
export async function findTakenValues(
  trx: Trx,
  type: ContentType,
  attribute: ScalarAttribute,
  values: readonly string[],
  whose: Whose,
): Promise<string[]> {
  const parts = holders(type, attribute, sql.ref(columnOf(attribute)), values, whose)
  const { rows } = await sql<{ found: string }>`${sql.join(parts, sql` union all `)}`.execute(trx)
  return rows.map((row) => row.found)
}

/** Two questions, because live and working copies have an index each. */
function holders(
  type: ContentType,
  attribute: ScalarAttribute,
  found: RawBuilder<unknown>,
  values: readonly ColumnValue[],
  { locale, documentId }: Whose,
): RawBuilder<unknown>[] {
  const isPerLocale = type.localized && attribute.localized
  const inLocale = isPerLocale ? sql` and locale = ${locale}` : sql``
  return ['live', 'work'].map(
    (flag) => sql`
      select ${found} as found from ${sql.table(type.table)}
      where ${sql.ref(flag)} = 1 and ${sql.ref(columnOf(attribute))} in (${sql.join(values)})
        and document_id <> ${documentId}${inLocale}`,
  )
}
