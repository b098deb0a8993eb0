import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { AnyTables, Database, Store } from './database.ts'
import type { SqlDialect } from './dialect.ts'

/** A file `migrations/NNNN_module_what.ts`; one sequence for all modules, forward only. */
export interface Migration {
  /** Which file it changes on SQLite; `main` when absent. */
  readonly store?: 'main' | 'aux'
  up(db: Kysely<AnyTables>, dialect: SqlDialect): Promise<void>
}

interface Deps {
  readonly database: Database
  readonly directory: string
  readonly log: Log
}

const FILE = /^\d{4}_[a-z0-9_]+\.ts$/

/**
 * Brings the schema up to date and returns the names it applied. Each migration is one
 * transaction; two nodes that start at once run it once. A database newer than the program is
 * refused before anything is changed.
 */
export async function migrate({ database, directory, log }: Deps): Promise<string[]> {
  const names = namesIn(directory)
  return withMigrationLock(database, async () => {
    const done = await appliedTo(database)
    refuseNewer(done, names)
    const applied: string[] = []
    for (const name of names) {
      if (done.has(name)) continue
      await apply(database, directory, name)
      log.info({ migration: name }, 'schema changed')
      applied.push(name)
    }
    return applied
  })
}

/** The names that `migrate` would apply. */
export async function pendingMigrations({
  database,
  directory,
}: Omit<Deps, 'log'>): Promise<string[]> {
  const done = await appliedTo(database)
  return namesIn(directory).filter((name) => !done.has(name))
}

function namesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => FILE.test(file))
    .sort()
}

/** On SQLite the data directory's lock already excludes every other server. */
async function withMigrationLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  if (!database.dialect.rowLocks) return work()
  return database.main.writer.connection().execute(async (connection) => {
    const key = sql`hashtext('entrepot migrations ' || current_schema())`
    await sql`select pg_advisory_lock(${key})`.execute(connection)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
    }
  })
}

async function appliedTo({ main, aux, dialect }: Database): Promise<Set<string>> {
  const names = new Set<string>()
  for (const store of main === aux ? [main] : [main, aux]) {
    await store.writer.schema
      .createTable('kernel_migrations')
      .ifNotExists()
      .addColumn('name', dialect.types.text, (column) => column.primaryKey())
      .addColumn('applied_at', dialect.types.bigint, (column) => column.notNull())
      .execute()
    const rows = await store.writer.selectFrom('kernel_migrations').select('name').execute()
    for (const row of rows) names.add(row.name)
  }
  return names
}

function refuseNewer(done: Set<string>, known: readonly string[]): void {
  const foreign = [...done].filter((name) => !known.includes(name)).sort()
  if (foreign.length === 0) return
  throw new OperatorError(
    `The database was written by a newer Entrepot (${foreign.at(-1)}). Start that version, or restore a backup made by this one.`,
  )
}

async function apply({ main, aux, dialect }: Database, directory: string, name: string) {
  const migration: Migration = await import(pathToFileURL(`${directory}/${name}`).href)
  const store: Store = migration.store === 'aux' ? aux : main
  await store.transaction(undefined, async (tx) => {
    const trx = tx.as<AnyTables>()
    await migration.up(trx, dialect)
    await trx
      .insertInto('kernel_migrations')
      .values({ name, applied_at: dialect.nowMs() })
      .execute()
  })
}
