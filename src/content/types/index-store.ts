import { type Kysely, sql } from 'kysely'
import type { SqlDialect } from '#db'
import type { ContentTables } from '../tables.ts'
import type { IndexSpec } from './index-specs.ts'
import { type Leftover, parseLeftover } from './removed-values.ts'

type Db = Kysely<ContentTables>

export interface WishedIndex {
  readonly spec: IndexSpec
  readonly state: 'wanted' | 'ready' | 'unwanted'
}

/**
 * Builds it beside other writers where the database can; outside a transaction, on a connection of
 * its own. What an interrupted build has left is dropped first.
 */
export async function buildIndex(db: Db, dialect: SqlDialect, spec: IndexSpec): Promise<void> {
  const { beforeBuild, afterBuild } = dialect.indexes
  await db.connection().execute(async (connection) => {
    await beforeBuild.execute(connection)
    try {
      await dropStatement(dialect, spec.name).execute(connection)
      await indexStatement(dialect, spec, { concurrently: true }).execute(connection)
    } finally {
      await afterBuild.execute(connection)
    }
  })
}

/** Drops it without keeping writers waiting, where the database can. */
export async function removeIndex(db: Db, dialect: SqlDialect, name: string): Promise<void> {
  await dropStatement(dialect, name).execute(db)
}

function dropStatement({ indexes }: SqlDialect, name: string) {
  return sql`drop index ${indexes.concurrently} if exists ${sql.id(name)}`
}

/** Creates the index now, inside the caller's transaction. */
export async function createIndex(db: Db, dialect: SqlDialect, spec: IndexSpec): Promise<void> {
  await indexStatement(dialect, spec, { concurrently: false }).execute(db)
}

/** Lists sort missing values lowest, and only an index in that very order serves them. */
const NULLABLE = /^([af]\d+|published_at)$/

function indexStatement(
  dialect: SqlDialect,
  { name, table, columns, unique, of, long }: IndexSpec,
  { concurrently }: { readonly concurrently: boolean },
) {
  const keys = columns.map((column, index) => {
    const ref = sql.ref(column)
    if (long && index === columns.length - 1) return dialect.indexes.longKey(ref)
    return NULLABLE.test(column) ? dialect.indexes.nullsLowest(ref) : ref
  })
  const kind = unique ? sql`unique index` : sql`index`
  const how = concurrently ? dialect.indexes.concurrently : sql``
  const where = of === null ? sql`` : sql` where ${sql.ref(of)} = 1`
  // Lists are walked along these: a deep page reads none of the rows it skips.
  const more = of === null || unique ? sql`` : dialect.indexes.withKey(sql.ref('copy_no'))
  return sql`create ${kind} ${how} if not exists ${sql.id(name)} on ${sql.table(table)} (${sql.join(keys)})${more}${where}`
}

async function dropIndex(db: Db, name: string): Promise<void> {
  await sql`drop index if exists ${sql.id(name)}`.execute(db)
}

export async function findIndexes(db: Db, table: string): Promise<WishedIndex[]> {
  const rows = await db
    .selectFrom('content_indexes')
    .select(['definition', 'state'])
    .where('table_name', '=', table)
    .execute()
  const indexes = rows.filter(({ definition }) => !parseLeftover(definition))
  return indexes.map(toWish)
}

function toWish({ definition, state }: { definition: string; state: string }): WishedIndex {
  return { spec: JSON.parse(definition), state: toState(state) }
}

function toState(state: string): WishedIndex['state'] {
  return state === 'ready' || state === 'unwanted' ? state : 'wanted'
}

/** Indexes that are not as they are wished to be. */
export async function findOpenIndexes(db: Db): Promise<WishedIndex[]> {
  const rows = await openRows(db)
  return rows.filter(({ definition }) => !parseLeftover(definition)).map(toWish)
}

/** Indexes that are as they are wished to be, or were before their table was filled anew. */
export async function findReadyIndexes(db: Db): Promise<IndexSpec[]> {
  const rows = await db
    .selectFrom('content_indexes')
    .select('definition')
    .where('state', '=', 'ready')
    .orderBy('name')
    .execute()
  return rows.filter(({ definition }) => !parseLeftover(definition)).map(toSpec)
}

function toSpec({ definition }: { definition: string }): IndexSpec {
  return JSON.parse(definition)
}

/** Whether it is still not as it is wished to be. */
export async function isOpen(db: Db, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('content_indexes')
    .select('name')
    .where('name', '=', name)
    .where('state', '<>', 'ready')
    .executeTakeFirst()
  return row !== undefined
}

/** Tables with something left to tidy up. */
export async function findLeftovers(db: Db): Promise<Leftover[]> {
  const rows = await openRows(db)
  return rows.flatMap(({ definition }) => parseLeftover(definition) ?? [])
}

function openRows(db: Db) {
  return db
    .selectFrom('content_indexes')
    .select(['definition', 'state'])
    .where('state', '<>', 'ready')
    .orderBy('name')
    .execute()
}

/** Only when nobody wished otherwise meanwhile. */
export async function markReady(db: Db, name: string): Promise<void> {
  await db
    .updateTable('content_indexes')
    .set({ state: 'ready' })
    .where('name', '=', name)
    .where('state', '=', 'wanted')
    .execute()
}

export async function forgetUnwanted(db: Db, name: string): Promise<void> {
  await db
    .deleteFrom('content_indexes')
    .where('name', '=', name)
    .where('state', '=', 'unwanted')
    .execute()
}

export async function saveIndexes(
  db: Db,
  specs: readonly IndexSpec[],
  state: WishedIndex['state'],
): Promise<void> {
  if (specs.length === 0) return
  const rows = specs.map((spec) => {
    return { name: spec.name, table_name: spec.table, definition: JSON.stringify(spec), state }
  })
  await db
    .insertInto('content_indexes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({
        definition: row.ref('excluded.definition'),
        state: row.ref('excluded.state'),
      })),
    )
    .execute()
}

async function forgetIndexes(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await db.deleteFrom('content_indexes').where('name', 'in', names).execute()
}

export async function forgetIndexesOf(db: Db, table: string): Promise<void> {
  await db.deleteFrom('content_indexes').where('table_name', '=', table).execute()
}

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
