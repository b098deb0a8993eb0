import type { Kysely } from 'kysely'
import type { Database, SqlDialect } from '#db'
import type { Clock, Ids } from '#kernel'
import { followNewType } from '../search/follow.ts'
import type { ContentTables } from '../tables.ts'
import { toType } from './build.ts'
import type { Cleanup } from './cleanup.ts'
import { createValuesTable } from './ddl.ts'
import type { StoredType, TypeDefinition } from './definition.ts'
import type { Design } from './design.ts'
import { type IndexSpec, indexesOfType } from './index-specs.ts'
import { createIndex, saveIndexes } from './index-store.ts'
import { leftoverName, noteLeftover } from './removed-values.ts'
import { insertType } from './store.ts'

type Db = Kysely<ContentTables>

export interface MakingDeps {
  readonly dialect: SqlDialect
  readonly ids: Ids
}

/** Types that have everything but their name, by singular name. */
export type Made = ReadonlyMap<string, StoredType>

/** Makes a type with its table, its indexes and all that follows it; nobody sees it yet. */
export function createMaking({ dialect, ids }: MakingDeps) {
  return { make }

  async function make(trx: Db, definition: TypeDefinition, nowMs: number): Promise<StoredType> {
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
    const given = { uuid: ids.uuid(), shape: 1, definition, ...times }
    const no = await insertType(trx, given)
    const type = { no, ...given, changing: null }
    await createValuesTable(trx, dialect, { no, attributes: definition.attributes })
    await createAtOnce(trx, dialect, indexesOfType(no, definition))
    await followNewType(trx, dialect, toType(type))
    return type
  }
}

interface Deps extends MakingDeps {
  readonly db: Database
  readonly clock: Clock
  readonly cleanup: Cleanup
}

/** In that time a call is done; what it has left of a process that died goes afterwards. */
const LONGEST_CALL_MS = 600_000

/**
 * The types that a call creates, each in a transaction of its own: a table with all its indexes takes a
 * database as long as a hundred writes, and nobody should wait for those of twenty-five. They appear
 * together, in the change itself.
 */
export function createMadeTypes({ dialect, ids, db, clock, cleanup }: Deps) {
  const { make } = createMaking({ dialect, ids })
  return { makeAll, unmake }

  async function makeAll({ types }: Design): Promise<Made> {
    const made = new Map<string, StoredType>()
    for (const { before, definition } of types) {
      if (before) continue
      const type = await db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ContentTables>()
        const one = await make(trx, definition, clock.now())
        const left = { table: `content_v${one.no}` as const, columns: [], attributeNos: [] }
        const notBeforeMs = clock.now() + LONGEST_CALL_MS
        await noteLeftover(trx, { ...left, drop: one, notBeforeMs })
        return one
      })
      made.set(definition.singularName, type)
    }
    return made
  }

  /** What is not removed now the worker removes later. */
  async function unmake(made: Made) {
    for (const { no } of made.values()) await cleanup.run(`content_v${no}`).catch(() => {})
  }
}

/** The type is in use now. */
export async function forgetDropping(trx: Db, no: number) {
  await trx
    .deleteFrom('content_indexes')
    .where('name', '=', leftoverName(`content_v${no}`))
    .execute()
}

/** The table is new and empty, so nobody waits. */
export async function createAtOnce(db: Db, dialect: SqlDialect, specs: readonly IndexSpec[]) {
  for (const spec of specs) await createIndex(db, dialect, spec)
  await saveIndexes(db, specs, 'ready')
}
