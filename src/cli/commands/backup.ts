import type { Command } from '../command.ts'
import { tellMissing } from '../missing-files.ts'
import { table } from '../table.ts'

const START_ITS_NODE =
  'Start the node whose data directory has them, so that it gives them to the database, and back up again.'

export const backup: Command = {
  name: 'backup',
  summary: 'copy database and uploads, also while the server runs',
  arguments: ['directory'],
  options: {},
  details: [
    'A name that ends in .entrepot is one compressed file with all of it, of SQLite or PostgreSQL,',
    'that can be restored into either. Any other name is a directory, new or empty, that will hold',
    'both database files of SQLite and the uploads: the quickest way for SQLite.',
    'The master key is not in it: without the key the secrets in the copy cannot be read, so keep it',
    'apart. To have it done again and again set backup.schedule.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err }) {
    const directory = input.argument('directory')
    const { copied, missing } = await operations.backup(await loadConfig(), directory)
    err(`Backed up to ${directory}; the master key is not part of it.`)
    out(table(copied))
    for (const line of tellMissing(missing, START_ITS_NODE)) err(line)
  },
}
