import type { Config } from '#config'

/** What commands do on this host without asking a running server over HTTP. */
export interface Operations {
  /** Resolves after an orderly stop. */
  start(config: Config): Promise<void>
  /** Brings the schema up to date and returns the names of the migrations that were applied. */
  migrate(config: Config): Promise<readonly string[]>
  /** Copies both database files and the uploads, also while a server runs on them. */
  backup(config: Config, directory: string): Promise<BackupReport>
  /** Puts a backup back; refuses a data directory that holds data unless `replace` is set. */
  restore(
    config: Config,
    directory: string,
    options: { readonly replace: boolean },
  ): Promise<BackupReport>
  /** Creates a key of level admin and returns it; it cannot be shown again. */
  issueAdminKey(config: Config, options: { readonly name: string | undefined }): Promise<string>
}

export interface BackupReport {
  readonly directory: string
  readonly contents: readonly { readonly name: string; readonly bytes: number }[]
}

export const operations: Operations = {
  start: () => notYet('start'),
  migrate: () => notYet('migrate'),
  backup: () => notYet('backup'),
  restore: () => notYet('restore'),
  issueAdminKey: () => notYet('keys issue'),
}

async function notYet(what: string): Promise<never> {
  const { OperatorError } = await import('#kernel')
  throw new OperatorError(`"${what}" is not available yet`)
}
