import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import type { DatabaseSettings, StartedDatabase } from '#db'
import type { createClock, Log } from '#kernel'
import { migratedPostgres, testPostgres } from './databases.ts'
import { useTemplate } from './template.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** Says nothing; a test that expects a log line passes its own. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Defines the same tests for both databases. */
export function eachDatabase(name: string, define: (kind: DatabaseKind) => void): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${kind})`, () => define(kind))
  }
}

/** A directory that is removed when the test file ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-t-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Settings of an empty database of the given kind. */
export async function emptyDatabase(kind: DatabaseKind): Promise<DatabaseSettings> {
  return settingsOf(kind === 'postgres' ? (await testPostgres()).url : undefined)
}

/** Settings of a database that has its schema; on SQLite the first who opens it brings it. */
export async function migratedDatabase(kind: DatabaseKind): Promise<DatabaseSettings> {
  return settingsOf(kind === 'postgres' ? (await migratedPostgres()).url : undefined)
}

function settingsOf(url: string | undefined): DatabaseSettings {
  const dataDir = temporaryDirectory()
  return { url, dataDir, readers: 2, readTimeoutMs: 5_000, scanTimeoutMs: 30_000 }
}

export interface TestDatabase extends StartedDatabase {
  readonly clock: ReturnType<typeof createClock>
  readonly settings: DatabaseSettings
}

/** A migrated database of its own, closed when the test file ends. */
export async function openTestDatabase(
  kind: DatabaseKind,
  settings?: DatabaseSettings,
): Promise<TestDatabase> {
  // Most test files only start servers and need nothing of this, which takes half a second to load.
  const { createClock } = await import('#kernel')
  const { migrate, startDatabase } = await import('#db')
  const used = settings ?? (await migratedDatabase(kind))
  if (!settings && kind === 'sqlite') useTemplate(used.dataDir)
  const clock = createClock()
  const started = await startDatabase(used, {
    clock,
    log: silentLog,
    onThreadFailure: (name, error) => {
      throw new Error(`${name}: ${error.message}`)
    },
  })
  await migrate({ database: started.database, directory: migrations, log: silentLog })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= started.stop()
    return stopped
  }
  after(stop)
  return { ...started, stop, clock, settings: used }
}

const migrations = new URL('../../migrations', import.meta.url).pathname
