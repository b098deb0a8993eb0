import { type RawBuilder, sql } from 'kysely'
import { prepared, type SqlDialect } from '#db'
import { kindOf } from '../../fields/index.ts'
import { type ColumnValue, columnOf } from '../../fields/kind.ts'
import { type ContentType, isPerLocale, type ScalarAttribute } from '../../model.ts'
import { among, compiledBy, guardNone, type Holding, type Trx } from './statements.ts'

type Asking = Pick<Holding, 'trx' | 'dialect'>

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
    readonly wanted: readonly Exclude<ColumnValue, null>[]
  }[]
  readonly paths: readonly string[]
}

export interface NamesTaken {
  /** Texts of the values that are taken; of one wanted value any text means that it is. */
  readonly values: ReadonlyMap<number, ReadonlySet<string>>
  readonly paths: ReadonlySet<string>
  /** Not taken, but somebody's before. */
  readonly former: Pick<ReadonlySet<string>, 'has'>
}

const PATH = 0
const FORMER_PATH = -1

/** Which of these values and paths others have, in live or working copies: one statement. */
export async function findTaken(
  held: Asking,
  type: ContentType,
  { values, paths }: NamesAsked,
  whose: Whose,
): Promise<NamesTaken> {
  const parts = [
    ...values.flatMap((each) => holders(held, type, each, whose)),
    ...(paths.length > 0 ? pathHolders(held, paths, whose) : []),
  ]
  if (parts.length === 0) return toTaken([])
  const bound = parts.flatMap((part) => part.bound)
  const key = `taken: ${parts.map((part) => part.key).join(', ')}`
  const query = prepared(held.trx, key, bound, () => compiledBy(held.trx, joined(parts)))
  return toTaken((await held.trx.executeQuery(query)).rows)
}

/** A plan holds only while nobody else has these values and paths. */
export function guardFree(
  held: Asking & Pick<Holding, 'tx'>,
  type: ContentType,
  { values, paths }: NamesAsked,
  whose: Whose,
) {
  const parts = [
    ...values.flatMap((each) => holders(held, type, each, whose)),
    ...(paths.length > 0 ? [pathHolder(held, paths, whose)] : []),
  ]
  if (parts.length === 0) return
  const bound = parts.flatMap((part) => part.bound)
  const key = `names ${parts.map((part) => part.key).join(', ')}`
  guardNone(held, key, bound, () => joined(parts))
}

/** A part of a question with what it binds, in the order of its text. */
interface Part {
  readonly key: string
  readonly bound: readonly unknown[]
  readonly text: () => RawBuilder<Found>
}

function joined(parts: readonly Part[]): RawBuilder<Found> {
  const texts = parts.map(({ text }) => text())
  return sql<Found>`${sql.join(texts, sql` union all `)}`
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
export const ASSUMED_FREE: NamesTaken = {
  values: new Map(),
  paths: new Set(),
  former: { has: () => true },
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
  { dialect }: Asking,
  type: ContentType,
  { attribute, wanted }: NamesAsked['values'][number],
  whose: Whose,
): Part[] {
  const column = sql.ref(columnOf(attribute))
  const { kind } = kindOf(attribute).column
  const locales = among(dialect, localesOf(type, attribute, whose), 'text')
  const values = among(dialect, wanted, kind)
  return ['live', 'work'].map((flag) => ({
    key: `${flag} ${values.key} ${attribute.no} of ${type.table} in ${locales.key}`,
    bound: [locales.bound, values.bound, whose.documentId],
    text: () => sql<Found>`
      select ${sql.lit(attribute.no)} as what, cast(${column} as text) as found
      from ${sql.table(type.table)}
      where ${sql.ref(flag)} = 1 and ${locales.has(sql.ref('locale'))}
        and ${values.has(column)} and document_id <> ${whose.documentId}`,
  }))
}

function localesOf(type: ContentType, attribute: ScalarAttribute, { locale, locales }: Whose) {
  const isShared = type.localized && !isPerLocale(attribute)
  return isShared || type.hasStrayLocales ? locales : [locale]
}

function pathHolders(held: Asking, paths: readonly string[], whose: Whose): Part[] {
  const { dialect } = held
  const list = among(dialect, paths, 'text')
  const former = {
    key: `former ${list.key} paths`,
    bound: [list.bound, whose.locale],
    text: () => sql<Found>`
      select ${sql.lit(FORMER_PATH)} as what, cast(path as text) as found
      from content_former_paths
      where ${list.has(sql.ref('path'))} and locale = ${whose.locale}`,
  }
  return [pathHolder(held, paths, whose), former]
}

/** What has no language clashes with every language. */
function pathHolder(
  { dialect }: Asking,
  paths: readonly string[],
  { locale, entryNo }: Whose,
): Part {
  const list = among(dialect, paths, 'text')
  const isAnywhere = locale === ''
  const no = entryNo ?? 0
  return {
    key: `${list.key} paths${isAnywhere ? '' : ' of a locale'}`,
    bound: isAnywhere ? [list.bound, no] : [list.bound, locale, no],
    text: () => {
      const inLocale = isAnywhere ? sql`` : sql` and locale in ('', ${locale})`
      return sql<Found>`
        select ${sql.lit(PATH)} as what, cast(path as text) as found from content_entries
        where ${list.has(sql.ref('path'))}${inLocale} and no <> ${no}`
    },
  }
}
