import type { Command, Output } from '../command.ts'
import type { BackupReport } from '../operations.ts'
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
    const report = await operations.backup(await loadConfig(), input.argument('directory'))
    err(`Backed up to ${report.directory}; the master key is not part of it.`)
    printContents(report, out)
  },
}

export function printContents({ contents }: BackupReport, out: Output['out']) {
  out(table(contents.map(({ name, bytes }) => [name, `${bytes} bytes`])))
}
