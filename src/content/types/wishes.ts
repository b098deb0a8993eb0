import type { Kysely } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentTables } from '../tables.ts'
import type { IndexSpec } from './index-specs.ts'
import { createIndex, dropIndex, findIndexes, forgetIndexes, saveIndexes } from './index-store.ts'

type Db = Kysely<ContentTables>

/**
 * Notes which indexes a table is to have from now on. Unique ones exist when the change commits;
 * others are built and dropped by the worker, because that may take long.
 */
export async function wishIndexes(
  db: Db,
  dialect: SqlDialect,
  table: string,
  specs: readonly IndexSpec[],
): Promise<void> {
  const known = await findIndexes(db, table)
  const names = new Set(specs.map(({ name }) => name))
  const kept = new Set(
    known.filter(({ state }) => state !== 'unwanted').map(({ spec }) => spec.name),
  )
  const added = specs.filter(({ name }) => !kept.has(name))
  const surplus = known.filter(({ spec }) => !names.has(spec.name)).map(({ spec }) => spec)
  for (const spec of surplus.filter(({ unique }) => unique)) await dropIndex(db, spec.name)
  await forgetIndexes(
    db,
    surplus.filter(({ unique }) => unique).map(({ name }) => name),
  )
  await saveIndexes(
    db,
    surplus.filter(({ unique }) => !unique),
    'unwanted',
  )
  for (const spec of added.filter(({ unique }) => unique)) await createIndex(db, dialect, spec)
  await saveIndexes(
    db,
    added.filter(({ unique }) => unique),
    'ready',
  )
  await saveIndexes(
    db,
    added.filter(({ unique }) => !unique),
    'wanted',
  )
}
