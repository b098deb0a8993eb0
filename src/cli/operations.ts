import type { Config } from '#config'
import type { Finding } from '#doctor'
import type { Scrape } from '#scrape'
import type { LostSecret } from '#secrets'
import type {
  backup as Backup,
  cancelMoving as CancelMoving,
  exportGateway as ExportGateway,
  moveTo as MoveTo,
  restore as Restore,
} from '#server'

/** What commands do on this host without asking a running server over HTTP. */
export interface Operations {
  /** Resolves after an orderly stop with the process's exit code. */
  start(config: Config, print: (text: string) => void): Promise<number>
  /** Looks at what a server with these settings stands on. */
  examine(config: Config): Promise<readonly Finding[]>
  /** Brings the schema up to date and returns the names of the migrations that were applied. */
  migrate(config: Config): Promise<readonly string[]>
  /** Copies database and uploads, also while a server runs on them. */
  readonly backup: typeof Backup
  /** Puts a backup back; data that is there is refused, or moved aside when `replace` is set. */
  readonly restore: typeof Restore
  /** Takes the installation to another database, also while a server runs. */
  readonly moveTo: typeof MoveTo
  readonly cancelMoving: typeof CancelMoving
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
  ...{ scrape, examine, moveTo, cancelMoving },
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

async function backup(...given: Parameters<Operations['backup']>) {
  const server = await import('#server')
  return server.backup(...given)
}

async function restore(...given: Parameters<Operations['restore']>) {
  const server = await import('#server')
  return server.restore(...given)
}

async function moveTo(...given: Parameters<Operations['moveTo']>) {
  const server = await import('#server')
  return server.moveTo(...given)
}

async function cancelMoving(...given: Parameters<Operations['cancelMoving']>) {
  const server = await import('#server')
  return server.cancelMoving(...given)
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
