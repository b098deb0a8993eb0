import { sql } from 'kysely'
import { DomainError, invalid } from '#kernel'
import { isUnique, kindOf } from '../fields/index.ts'
import { columnOf } from '../fields/kind.ts'
import { isScalar, type ScalarAttribute } from '../model.ts'
import { localeOf } from './load.ts'
import type { EntryTarget } from './ports.ts'
import type { Prepared } from './prepare.ts'
import { findByExternalId } from './store/registry.ts'
import { codesOf } from './unique-names.ts'
import type { Writing } from './writing.ts'

const EXTERNAL_ID: ReadonlySet<string> = new Set(['external_id', 'externalId'])

/** The entry that has the key's value already, in the language of the input. */
export async function findByKey(
  writing: Writing,
  key: string,
  { input, parsed }: Prepared,
): Promise<EntryTarget | undefined> {
  const { trx, type, model } = writing
  const locale = localeOf(type, input.locale, model)
  if (locale === undefined) throw bad('locale', 'is not a known locale')
  const stored = type.hasStrayLocales ? codesOf(model) : [locale]
  if (EXTERNAL_ID.has(key)) {
    if (input.externalId == null) throw bad(key, 'is needed to find the entry')
    return findByExternalId(trx, type.no, input.externalId, stored)
  }
  const attribute = uniqueOf(writing, key)
  const value = parsed.scalars.get(attribute.no)?.value ?? null
  if (value === null) throw bad(key, 'is needed to find the entry')
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(type.table)}
    where work = 1 and locale in (${sql.join(stored)})
      and ${sql.ref(columnOf(attribute))} = ${kindOf(attribute).toColumn(value, attribute)}
    limit 1
  `.execute(trx)
  return rows[0]
}

/** Refused because another entry has the value of this key. */
export function isTaken(error: unknown, key: string): boolean {
  if (!(error instanceof DomainError) || error.kind !== 'conflict') return false
  const name = EXTERNAL_ID.has(key) ? 'externalId' : key
  return error.issues.some(({ path }) => path[0] === name)
}

function uniqueOf({ type }: Writing, key: string): ScalarAttribute {
  const attribute = type.attribute.get(key)
  if (attribute && isScalar(attribute) && isUnique(attribute)) return attribute
  throw bad('key', `must be external_id or a unique attribute, not ${key.slice(0, 100)}`)
}

function bad(name: string, message: string) {
  return invalid([{ path: [name], rule: 'key', message: `${name} ${message}` }])
}
