import { type RawBuilder, sql } from 'kysely'
import type { SqlDialect } from '#db'
import { type ColumnValue, columnOf } from '../../fields/kind.ts'
import type { ContentType, ScalarAttribute } from '../../model.ts'
import { guardNone, type Holding, type Trx } from './statements.ts'

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

/** A plan holds only while nobody else has these values and paths. */
export function guardFree(
  held: Pick<Holding, 'tx' | 'trx'>,
  type: ContentType,
  { values, paths }: NamesAsked,
  whose: Whose,
) {
  if (values.length + paths.length === 0) return
  const { locale, documentId, entryNo } = whose
  const lists = values.map(({ attribute, wanted }) => {
    const one = [...localesOf(type, attribute, whose), ...wanted, documentId]
    return { no: attribute.no, bound: [...one, ...one], count: one.length }
  })
  const ofPaths =
    paths.length > 0 ? [...paths, ...(locale === '' ? [] : [locale]), entryNo ?? 0] : []
  const counts = lists.map(({ no, count }) => `${no} ${count}`).join()
  const key = `${type.table} names ${counts}, ${paths.length} paths, ${locale === ''}`
  guardNone(held, key, [...lists.flatMap(({ bound }) => bound), ...ofPaths], () => {
    const parts = [
      ...values.flatMap(({ attribute, wanted }) => holders(type, attribute, wanted, whose)),
      ...(paths.length > 0 ? [pathHolder(paths, whose)] : []),
    ]
    return sql`${sql.join(parts, sql` union all `)}`
  })
}

/** The highest n of all names `base-n` that others have, or of paths that end so; 0 when there is none. */
export async function highestSuffix(
  { trx, dialect }: { readonly trx: Trx; readonly dialect: Pick<SqlDialect, 'wholeNumber'> },
  type: ContentType,
  attribute: ScalarAttribute,
  base: string,
  pathOfBase: string | undefined,
  whose: Whose,
): Promise<number> {
  const column = sql.ref(columnOf(attribute))
  const searched = localesOf(type, attribute, whose)
  const parts = ['live', 'work'].map(
    (flag) => sql`
      select max(${suffixOf(column, base)}) as suffix from ${sql.table(type.table)}
      where ${sql.ref(flag)} = 1 and locale in (${sql.join(searched)}) and ${between(column, base)}`,
  )
  const path = sql.ref('path')
  const ofPaths = pathOfBase === undefined ? [] : [pathOfBase]
  const more = ofPaths.map(
    (own) => sql`
      select max(${suffixOf(path, own)}) as suffix from content_entries
      where ${between(path, own)}`,
  )
  const all = sql.join([...parts, ...more], sql` union all `)
  const { rows } = await sql<{ suffix: number | null }>`
    select max(suffix) as suffix from (${all}) as found`.execute(trx)
  return rows[0]?.suffix ?? 0

  function suffixOf(name: typeof column, own: string) {
    return dialect.wholeNumber(sql`substr(${name}, cast(${own.length + 2} as integer))`)
  }
}

/** Names with a suffix lie side by side in an index: `.` is what follows `-`. */
function between(column: RawBuilder<unknown>, base: string): RawBuilder<unknown> {
  return sql`${column} > ${`${base}-`} and ${column} < ${`${base}.`}`
}

/** What a plan may assume whose guard will tell otherwise. */
export function assumeFree(paths: readonly string[]): NamesTaken {
  return { values: new Map(), paths: new Set(), former: new Set(paths) }
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
  whose: Whose,
): RawBuilder<unknown>[] {
  const searched = localesOf(type, attribute, whose)
  const column = sql.ref(columnOf(attribute))
  return ['live', 'work'].map(
    (flag) => sql`
      select ${sql.lit(attribute.no)} as what, cast(${column} as text) as found
      from ${sql.table(type.table)}
      where ${sql.ref(flag)} = 1 and locale in (${sql.join(searched)})
        and ${column} in (${sql.join(wanted)}) and document_id <> ${whose.documentId}`,
  )
}

function localesOf(type: ContentType, attribute: ScalarAttribute, { locale, locales }: Whose) {
  const isShared = type.localized && !attribute.localized
  return isShared || type.hasStrayLocales ? locales : [locale]
}

function pathHolders(paths: readonly string[], whose: Whose): RawBuilder<unknown>[] {
  return [
    pathHolder(paths, whose),
    sql`
      select ${sql.lit(FORMER_PATH)} as what, cast(path as text) as found
      from content_former_paths where path in (${sql.join(paths)}) and locale = ${whose.locale}`,
  ]
}

/** What has no language clashes with every language. */
function pathHolder(paths: readonly string[], { locale, entryNo }: Whose): RawBuilder<unknown> {
  const inLocale = locale === '' ? sql`` : sql` and locale in ('', ${locale})`
  return sql`
    select ${sql.lit(PATH)} as what, cast(path as text) as found from content_entries
    where path in (${sql.join(paths)})${inLocale} and no <> ${entryNo ?? 0}`
}
