import type { Command } from '../command.ts'
import { printContents } from './backup.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup back into the data directory of a stopped server',
  arguments: ['directory'],
  options: {
    replace: { type: 'boolean', summary: 'move the data that is there aside' },
  },
  async run(input, { operations, loadConfig, out, err }) {
    const options = { replace: input.flag('replace') }
    const config = await loadConfig()
    const directory = input.argument('directory')
    const { copied, aside } = await operations.restore(config, directory, options)
    err(`Restored from ${directory} into ${config.dataDir}.`)
    if (aside) err(`What was there before is in ${aside}.`)
    printContents(copied, out)
  },
}
