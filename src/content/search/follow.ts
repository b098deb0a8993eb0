import type { Kysely } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { INDEX, type IndexSource, indexedOf, sourceOf } from './indexed.ts'
import { findIndexState, saveIndexState } from './store.ts'

type Db = Kysely<ContentTables>
type Followed = Pick<ContentType, 'no' | 'attributes' | 'displayField'>

/** A type that was just made: there is nothing to take in. */
export async function followNewType(db: Db, dialect: SqlDialect, type: Followed): Promise<void> {
  const indexed = indexedOf(type)
  await dialect.textIndex.follow(db, INDEX, indexed)
  await saveIndexState(db, {
    typeNo: type.no,
    source: sourceOf(indexed),
    indexedTo: 0,
    ready: true,
  })
}

/**
 * After a change of the type, in its transaction: from now on what is written is found as the type says.
 * Unless all that came are columns without values (`filled`: those that have some), the worker takes in
 * anew what is there, and lists are searched without the index until it has.
 */
export async function followChangedType(
  db: Db,
  dialect: SqlDialect,
  type: Followed,
  filled: ReadonlySet<string>,
): Promise<void> {
  const indexed = indexedOf(type)
  const source = sourceOf(indexed)
  const before = await findIndexState(db, type.no)
  if (before?.source && isSame(before.source, source)) return
  await dialect.textIndex.follow(db, INDEX, indexed)
  const ready = before?.ready === true && isOnlyMore(before.source, source, filled)
  await saveIndexState(db, { typeNo: type.no, source, indexedTo: 0, ready })
}

function isSame(a: IndexSource, b: IndexSource): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isOnlyMore(
  before: IndexSource | null,
  now: IndexSource,
  filled: ReadonlySet<string>,
): boolean {
  if (!before || before.title.join() !== now.title.join()) return false
  const known = new Set(before.text)
  const isKept = before.text.every((column) => now.text.includes(column))
  return isKept && now.text.every((column) => known.has(column) || !filled.has(column))
}
