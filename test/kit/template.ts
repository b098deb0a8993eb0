import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the run has put an SQLite database with the whole schema and no rows. */
const TEMPLATE = 'TEST_SQLITE_TEMPLATE'
const FILES = ['entrepot.db', 'usage.db']

/** Made once for a run: the migrations take a tenth of every start on an empty data directory. */
export async function makeTemplate() {
  const dataDir = mkdtempSync(join(tmpdir(), 'entrepot-template-'))
  const { createClock } = await import('#kernel')
  const { migrate, startDatabase } = await import('#db')
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const settings = {
    url: undefined,
    dataDir,
    readers: 1,
    readTimeoutMs: 5_000,
    scanTimeoutMs: 5_000,
  }
  const { database, stop } = await startDatabase(settings, {
    ...{ clock: createClock(), log },
    onThreadFailure: (name, error) => {
      throw new Error(`${name}: ${error.message}`)
    },
  })
  const directory = new URL('../../migrations', import.meta.url).pathname
  await migrate({ database, directory, log })
  await stop()
  // As the program makes them; copies keep it.
  for (const file of FILES) chmodSync(join(dataDir, file), 0o600)
  return {
    environment: { [TEMPLATE]: dataDir },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** Puts the migrated database where there is none yet; without a template the caller migrates. */
export function useTemplate(dataDir: string): void {
  const template = process.env[TEMPLATE]
  const isThere = FILES.some((file) => existsSync(join(dataDir, file)))
  if (template === undefined || isThere) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  for (const file of FILES) copyFileSync(join(template, file), join(dataDir, file))
}
