/** Reads the stored configuration of the gateway for a command on the host, also while a server runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#config'
import { type Exported, type ExportForm, exportConfiguration } from '#gateway'
import { OperatorError, random } from '#kernel'
import { createSecretBox, isMasterKeyKnown, loadMasterKey } from '#secrets'
import { openForCommand } from './platform.ts'
import { apiUrlOf } from './ports.ts'

export interface ExportOptions {
  readonly form: ExportForm
  readonly withSecrets: boolean
}

export async function exportGateway(config: Config, options: ExportOptions): Promise<Exported> {
  const { database: db, stop } = await openForCommand(config)
  try {
    const box = await openBox(config)
    if (!(await isMasterKeyKnown({ store: db.main, box }))) {
      throw new OperatorError(
        'What is stored was sealed with another master key; set ENTREPOT_MASTER_KEY to it',
      )
    }
    const apiUrl = config.publicUrl ?? apiUrlOf(config)
    return await exportConfiguration({ db, box, apiUrl, ...options })
  } finally {
    await stop()
  }
}

/** A command that only reads makes no key. */
async function openBox({ dataDir, masterKey, masterKeyPrevious }: Config) {
  if (masterKey === undefined && !existsSync(join(dataDir, 'master.key'))) {
    throw new OperatorError(
      `There is no master key: neither in ${dataDir} nor in ENTREPOT_MASTER_KEY`,
    )
  }
  const given = { fromEnvironment: masterKey, previous: masterKeyPrevious }
  return createSecretBox({ ...(await loadMasterKey({ dataDir, ...given, random })), random })
}
