import { sql } from 'kysely'
import { DomainError, invalid } from '#kernel'
import { isUnique, kindOf } from '../fields/index.ts'
import { type ColumnValue, columnOf } from '../fields/kind.ts'
import type { JsonValue } from '../json.ts'
import { isScalar, type ScalarAttribute } from '../model.ts'
import { languageOf, localeOf } from './load.ts'
import type { EntryTarget } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findByExternalIds } from './store/registry.ts'
import type { Writing } from './writing.ts'

type Asking = Pick<Writing, 'trx' | 'type' | 'model' | 'dialect'>

const EXTERNAL_ID: ReadonlySet<string> = new Set(['external_id', 'externalId'])

/** The entries that have the values of the key already, each in the language of its input. */
export async function findByKey(
  writing: Asking,
  key: string,
  inputs: readonly Prepared[],
): Promise<readonly (EntryTarget | undefined)[]> {
  const { trx, type, dialect } = writing
  if (EXTERNAL_ID.has(key)) {
    const wanted = inputs.map((each) => wantedBy(writing, each, each.input.externalId ?? null, key))
    const values = wanted.map(({ value }) => String(value))
    const rows = await findByExternalIds(writing, type.no, values)
    const found = new Map(rows.map((row) => [`${languageOf(type, row)} ${row.external_id}`, row]))
    return wanted.map(({ language, value }) => found.get(`${language} ${value}`))
  }
  const attribute = uniqueOf(writing, key)
  const column = sql.ref(columnOf(attribute))
  const wanted = inputs.map((each) => {
    const value = each.parsed.scalars.get(attribute.no)?.value ?? null
    return wantedBy(writing, each, value, key)
  })
  const values = wanted.map(({ value }) => kindOf(attribute).toColumn(value, attribute))
  const { kind } = kindOf(attribute).column
  // No integer is rounded as a text.
  const shown = kind === 'double' ? column : sql`cast(${column} as text)`
  // The index of the attribute begins with the locale. What no other index holds keeps SQLite from walking one of those instead.
  const languages = [...new Set(wanted.map(({ language }) => language))]
  const isOfThese = type.localized
    ? sql`document_id <> '' and ${dialect.isOneOf(sql.ref('locale'), languages, 'text')} and `
    : sql``
  const { rows } = await sql<{ id: number; locale: string; value: ColumnValue }>`
    select id, locale, ${shown} as value from ${sql.table(type.table)}
    where work = 1 and ${isOfThese}${dialect.isOneOf(column, values, kind)}`.execute(trx)
  const found = new Map(rows.map((row) => [`${languageOf(type, row)} ${row.value}`, row]))
  return wanted.map(({ language }, at) => found.get(`${language} ${values[at]}`))
}

function wantedBy(
  { type, model }: Pick<Writing, 'type' | 'model'>,
  { input }: Prepared,
  value: JsonValue,
  key: string,
): { language: string; value: Exclude<JsonValue, null> } {
  const locale = localeOf(type, input.locale, model)
  if (locale === undefined) throw bad('locale', 'is not a known locale')
  if (value === null) throw bad(key, 'is needed to find the entry')
  return { language: languageOf(type, { locale }), value }
}

/** Refused because another entry has the value of this key. */
export function isTaken(error: unknown, key: string): boolean {
  if (!(error instanceof DomainError) || error.kind !== 'conflict') return false
  const name = EXTERNAL_ID.has(key) ? 'externalId' : key
  return error.issues.some(({ path }) => path[0] === name)
}

function uniqueOf({ type }: Pick<Writing, 'type'>, key: string): ScalarAttribute {
  const attribute = type.attribute.get(key)
  if (attribute && isScalar(attribute) && isUnique(attribute)) return attribute
  throw bad('key', `must be external_id or a unique attribute, not ${key.slice(0, 100)}`)
}

function bad(name: string, message: string) {
  return invalid([{ path: [name], rule: 'key', message: `${name} ${message}` }])
}
