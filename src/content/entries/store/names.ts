import { type RawBuilder, sql } from 'kysely'
import { type ColumnValue, columnOf } from '../../fields/kind.ts'
import type { ContentType, ScalarAttribute } from '../../model.ts'
import type { Trx } from './statements.ts'

/** Who wants a name: what its own document has does not count. */
export interface Whose {
  readonly documentId: string
  readonly locale: string
  /** Every code there is: a shared value is unique over all of them. */
  readonly locales: readonly string[]
  /** Null until it is registered. */
  readonly entryNo: number | null
}

export interface NamesAsked {
  readonly values: readonly {
    readonly attribute: ScalarAttribute
    readonly wanted: readonly ColumnValue[]
  }[]
  readonly paths: readonly string[]
}

export interface NamesTaken {
  /** Texts of the values that are taken; of one wanted value any text means that it is. */
  readonly values: ReadonlyMap<number, ReadonlySet<string>>
  readonly paths: ReadonlySet<string>
  /** Not taken, but somebody's before. */
  readonly former: ReadonlySet<string>
}

const PATH = 0
const FORMER_PATH = -1

/** Which of these values and paths others have, in live or working copies: one statement. */
export async function findTaken(
  trx: Trx,
  type: ContentType,
  { values, paths }: NamesAsked,
  whose: Whose,
): Promise<NamesTaken> {
  const parts = [
    ...values.flatMap(({ attribute, wanted }) => holders(type, attribute, wanted, whose)),
    ...(paths.length > 0 ? pathHolders(paths, whose) : []),
  ]
  if (parts.length === 0) return toTaken([])
  const { rows } = await sql<Found>`${sql.join(parts, sql` union all `)}`.execute(trx)
  return toTaken(rows)
}

interface Found {
  readonly what: number
  readonly found: string
}

function toTaken(rows: readonly Found[]): NamesTaken {
  const groups = Map.groupBy(rows, ({ what }) => what)
  const sets = new Map([...groups].map(([what, list]) => [what, new Set(list.map(textOf))]))
  return {
    values: sets,
    paths: sets.get(PATH) ?? new Set(),
    former: sets.get(FORMER_PATH) ?? new Set(),
  }
}

function textOf({ found }: Found): string {
  return found
}

/** Two questions, because live and working copies have an index each. */
function holders(
  type: ContentType,
  attribute: ScalarAttribute,
  wanted: readonly ColumnValue[],
  { locale, locales, documentId }: Whose,
): RawBuilder<unknown>[] {
  const searched = type.localized && !attribute.localized ? locales : [locale]
  const column = sql.ref(columnOf(attribute))
  return ['live', 'work'].map(
    (flag) => sql`
      select ${sql.lit(attribute.no)} as what, cast(${column} as text) as found
      from ${sql.table(type.table)}
      where ${sql.ref(flag)} = 1 and locale in (${sql.join(searched)})
        and ${column} in (${sql.join(wanted)}) and document_id <> ${documentId}`,
  )
}

/** What has no language clashes with every language. */
function pathHolders(paths: readonly string[], { locale, entryNo }: Whose): RawBuilder<unknown>[] {
  const list = sql.join(paths)
  const inLocale = locale === '' ? sql`` : sql` and locale in ('', ${locale})`
  return [
    sql`
      select ${sql.lit(PATH)} as what, cast(path as text) as found from content_entries
      where path in (${list})${inLocale} and no <> ${entryNo ?? 0}`,
    sql`
      select ${sql.lit(FORMER_PATH)} as what, cast(path as text) as found
      from content_former_paths where path in (${list}) and locale = ${locale}`,
  ]
}
