import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { AnyTables, Database, Store } from './database.ts'
import type { SqlDialect } from './dialect.ts'

/** A file `migrations/NNNN_module_what.ts`; one sequence for all modules, forward only. */
interface Migration {
  /** Which file it changes on SQLite; `main` when absent. */
  readonly store?: 'main' | 'aux'
  up(db: Kysely<AnyTables>, dialect: SqlDialect): Promise<void>
}

interface Deps {
  readonly database: Database
  readonly directory: string
  readonly log: Log
  /** Only these, for rows that come from a database which had no more. */
  readonly only?: ReadonlySet<string>
}

/** `.js` in what was built; a migration is known by the name of its source. */
const FILE = /^(\d{4}_[a-z0-9_]+)\.[tj]s$/

/**
 * Brings the schema up to date and returns the names it applied. Each migration is one
 * transaction; two nodes that start at once run it once. A database newer than the program is
 * refused before anything is changed.
 */
export async function migrate({ database, directory, log, only }: Deps): Promise<string[]> {
  const files = filesIn(directory)
  return withMigrationLock(database, async () => {
    const done = await appliedTo(database)
    refuseNewer(done, files)
    const applied: string[] = []
    for (const [name, file] of files) {
      if (done.has(name) || only?.has(name) === false) continue
      await apply(database, name, `${directory}/${file}`)
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
  return [...filesIn(directory).keys()].filter((name) => !done.has(name))
}

/** Of these names, those that this program does not know. */
export function unknownMigrations(names: readonly string[], directory: string): string[] {
  const known = filesIn(directory)
  return names.filter((name) => !known.has(name))
}

/** In their order, by name. */
function filesIn(directory: string): Map<string, string> {
  const files = readdirSync(directory).sort()
  return new Map(
    files.flatMap((file) => {
      const [, name] = FILE.exec(file) ?? []
      return name === undefined ? [] : [[`${name}.ts`, file]]
    }),
  )
}

/** On SQLite the data directory's lock already excludes every other server. */
async function withMigrationLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const { dialect } = database
  if (!dialect.rowLocks) return work()
  return database.main.writer.connection().execute(async (connection) => {
    const key = sql`hashtext('entrepot migrations ' || current_schema())`
    // Another node may need any time for its migrations.
    await dialect.indexes.beforeBuild.execute(connection)
    await sql`select pg_advisory_lock(${key})`.execute(connection)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
      await dialect.indexes.afterBuild.execute(connection)
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

function refuseNewer(done: Set<string>, known: ReadonlyMap<string, string>): void {
  const foreign = [...done].filter((name) => !known.has(name)).sort()
  if (foreign.length === 0) return
  throw new OperatorError(
    `The database was written by a newer Entrepot (${foreign.at(-1)}). Start that version, or restore a backup made by this one.`,
  )
}

async function apply({ main, aux, dialect }: Database, name: string, path: string) {
  const migration: Migration = await import(pathToFileURL(path).href)
  const store: Store = migration.store === 'aux' ? aux : main
  await store.transaction(undefined, async (tx) => {
    const trx = tx.as<AnyTables>()
    await dialect.indexes.beforeBuild.execute(trx)
    await migration.up(trx, dialect)
    await dialect.indexes.afterBuild.execute(trx)
    await trx
      .insertInto('kernel_migrations')
      .values({ name, applied_at: dialect.nowMs() })
      .execute()
  })
}
