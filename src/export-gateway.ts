/** Reads the stored configuration of the gateway for a command on the host, also while a server runs. */
import type { Config } from '#config'
import { type Exported, type ExportForm, exportConfiguration } from '#gateway'
import { OperatorError } from '#kernel'
import { isMasterKeyKnown } from '#secrets'
import { findBox, openForCommand } from './platform.ts'
import { apiUrlOf } from './ports.ts'

export interface ExportOptions {
  readonly form: ExportForm
  readonly withSecrets: boolean
}

export async function exportGateway(config: Config, options: ExportOptions): Promise<Exported> {
  const { database: db, stop } = await openForCommand(config)
  try {
    const box = await findBox(config)
    if (box === null) {
      throw new OperatorError(
        `There is no master key: neither in ${config.dataDir} nor in ENTREPOT_MASTER_KEY`,
      )
    }
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
