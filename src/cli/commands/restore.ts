import type { Command } from '../command.ts'
import { printContents } from './backup.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup back into the data directory of a stopped server',
  arguments: ['directory'],
  options: {
    replace: { type: 'boolean', summary: 'overwrite the data that is there' },
  },
  async run(input, { operations, loadConfig, out, err }) {
    const options = { replace: input.flag('replace') }
    const config = await loadConfig()
    const report = await operations.restore(config, input.argument('directory'), options)
    err(`Restored from ${report.directory} into ${config.dataDir}.`)
    printContents(report, out)
  },
}
