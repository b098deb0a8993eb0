import type { Copied } from '#db'
import type { Command, Output } from '../command.ts'
import { table } from '../table.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'copy databases and uploads into a directory, also while the server runs',
  arguments: ['directory'],
  options: {},
  details: [
    'The directory must be new or empty. It will hold both database files and the uploads. The',
    'master key is not in it: without the key the secrets in the copy cannot be read, so keep it',
    'apart. With PostgreSQL use the tools of PostgreSQL for the database.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err }) {
    const directory = input.argument('directory')
    const copied = await operations.backup(await loadConfig(), directory)
    err(`Backed up to ${directory}; the master key is not part of it.`)
    printContents(copied, out)
  },
}

export function printContents(copied: readonly Copied[], out: Output['out']) {
  out(table(copied.map(({ name, bytes }) => [name, `${bytes} bytes`])))
}
