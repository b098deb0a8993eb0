import { randomUUID } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { DatabaseSettings } from '#db'

/** Where the run has put an SQLite database with the whole schema and no rows. */
const SQLITE = 'TEST_SQLITE_TEMPLATE'
const FILES = ['entrepot.db', 'usage.db']
/** The name of such a database of the run's PostgreSQL. */
const POSTGRES = 'TEST_POSTGRES_TEMPLATE'
const NAME = 'migrated'
/** What the names of its copies begin with; the process follows that each belongs to. */
const COPY = 'copy_'

/** Made once for a run: migrations take a tenth of a start on an empty database, and PostgreSQL ten times what a copy takes. */
export async function makeTemplates(postgresUrl: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'entrepot-template-'))
  await onPostgres(postgresUrl, `create database ${NAME}`)
  await Promise.all([
    makeSchema({ dataDir, url: undefined }),
    makeSchema({ dataDir, url: databaseUrl(postgresUrl, NAME) }),
  ])
  // As the program makes them; copies keep it.
  for (const file of FILES) chmodSync(join(dataDir, file), 0o600)
  return {
    environment: { [SQLITE]: dataDir, [POSTGRES]: NAME },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

async function makeSchema(of: Pick<DatabaseSettings, 'dataDir' | 'url'>): Promise<void> {
  const { createClock } = await import('#kernel')
  const { migrate, startDatabase } = await import('#db')
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const settings = { ...of, readers: 1, readTimeoutMs: 5_000, scanTimeoutMs: 5_000 }
  const { database, stop } = await startDatabase(settings, {
    ...{ clock: createClock(), log },
    onThreadFailure: (name, error) => {
      throw new Error(`${name}: ${error.message}`)
    },
  })
  const directory = new URL('../../migrations', import.meta.url).pathname
  await migrate({ database, directory, log })
  await stop()
}

/** Puts the migrated database where there is none yet; without a template the caller migrates. */
export function useTemplate(dataDir: string): void {
  const template = process.env[SQLITE]
  const isThere = FILES.some((file) => existsSync(join(dataDir, file)))
  if (template === undefined || isThere) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  for (const file of FILES) copyFileSync(join(template, file), join(dataDir, file))
}

/** The URL of a new database with the whole schema, which belongs to this process. */
export async function copyTemplate(postgresUrl: string): Promise<string> {
  const template = process.env[POSTGRES]
  const name = `${COPY}${process.pid}_${randomUUID().replaceAll('-', '')}`
  // By files it would be quicker, and each time a checkpoint would keep all other tests waiting.
  await onPostgres(postgresUrl, `create database ${name} template ${template} strategy wal_log`)
  return databaseUrl(postgresUrl, name)
}

/** Drops copies whose process has ended: until then its servers and clients may be connected. */
export async function dropLeftCopies(postgresUrl: string): Promise<void> {
  const names = await onPostgres(postgresUrl, 'select datname as name from pg_database')
  for (const { name } of names) {
    const pid = name?.startsWith(COPY) ? Number.parseInt(name.slice(COPY.length), 10) : undefined
    if (pid === undefined || isAlive(pid)) continue
    await onPostgres(postgresUrl, `drop database ${name} with (force)`)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function databaseUrl(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function onPostgres(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  // Whoever waits for the statement is told; without a listener the whole run would end instead.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, string>>(statement)).rows
  } finally {
    await client.end()
  }
}
