import type { Config } from '#config'
import type { Copied } from '#db'
import type { Finding } from '#doctor'
import { createClock, OperatorError } from '#kernel'
import type { Scrape } from '#scrape'
import type { LostSecret } from '#secrets'
import type { exportGateway as ExportGateway } from '#server'
import { version } from './version.ts'

/** What commands do on this host without asking a running server over HTTP. */
export interface Operations {
  /** Resolves after an orderly stop with the process's exit code. */
  start(config: Config, print: (text: string) => void): Promise<number>
  /** Looks at what a server with these settings stands on. */
  examine(config: Config): Promise<readonly Finding[]>
  /** Brings the schema up to date and returns the names of the migrations that were applied. */
  migrate(config: Config): Promise<readonly string[]>
  /** Copies both database files and the uploads, also while a server runs on them. */
  backup(config: Config, directory: string): Promise<readonly Copied[]>
  /** Puts a backup back; data that is there is refused, or moved aside when `replace` is set. */
  restore(
    config: Config,
    directory: string,
    options: { readonly replace: boolean },
  ): Promise<{ copied: readonly Copied[]; aside: string | null }>
  /** Creates a key of level admin and returns it; it cannot be shown again. */
  issueAdminKey(config: Config, options: { readonly name: string | undefined }): Promise<string>
  /** Resets what no master key opens, when `confirm` agrees; null when nothing was reset. */
  resetSecrets(
    config: Config,
    confirm: (lost: readonly LostSecret[]) => Promise<boolean>,
  ): Promise<readonly LostSecret[] | null>
  /** Sets the password of a user, made here when none is given, and returns it. */
  setPassword(
    config: Config,
    options: { readonly email: string; readonly password: string | undefined },
  ): Promise<string>
  /** The stored configuration of the gateway as files. */
  readonly exportGateway: typeof ExportGateway
  /** Begins a run without a server; the definition is as the API takes it. */
  scrape(config: Config, definition: Readonly<Record<string, unknown>>): Promise<Scrape>
}

export const operations: Operations = {
  ...{ start, migrate, backup, restore, issueAdminKey, resetSecrets, setPassword, exportGateway },
  scrape,
  examine,
}

async function start(config: Config, print: (text: string) => void) {
  const { runServer } = await import('#server')
  return runServer(config, print)
}

async function examine(config: Config) {
  const server = await import('#server')
  return server.examine(config)
}

async function migrate(config: Config) {
  const { migrateOnly } = await import('#server')
  return migrateOnly(config)
}

async function backup(config: Config, directory: string) {
  const { backupTo } = await import('#db')
  return backupTo(directory, filesOf(config))
}

async function restore(config: Config, directory: string, options: { replace: boolean }) {
  const { restoreFrom } = await import('#db')
  return restoreFrom(directory, { ...filesOf(config), ...options })
}

function filesOf({ databaseUrl, dataDir }: Config) {
  if (databaseUrl !== undefined) {
    throw new OperatorError(
      `The database is PostgreSQL: save it with pg_dump, and copy the uploads from ${dataDir}.`,
    )
  }
  return { dataDir, clock: createClock(), version: version() }
}

async function issueAdminKey(config: Config, options: { name: string | undefined }) {
  const server = await import('#server')
  return server.issueAdminKey(config, options)
}

async function resetSecrets(config: Config, confirm: Parameters<Operations['resetSecrets']>[1]) {
  const server = await import('#server')
  return server.resetSecrets(config, confirm)
}

async function setPassword(
  config: Config,
  options: { email: string; password: string | undefined },
) {
  const server = await import('#server')
  return server.setPassword(config, options)
}

async function exportGateway(...given: Parameters<Operations['exportGateway']>) {
  const server = await import('#server')
  return server.exportGateway(...given)
}

async function scrape(config: Config, definition: Readonly<Record<string, unknown>>) {
  const { startScrape } = await import('#scrape')
  return startScrape(config, definition)
}
