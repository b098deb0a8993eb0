import type { Command } from '../command.ts'
import { tellMissing } from '../missing-files.ts'
import { table } from '../table.ts'

const COPY_THEM =
  'The backup lacked them. Copy them into "uploads" of the data directory before you start the server.'

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup back, while no server runs',
  arguments: ['directory'],
  options: {
    replace: { type: 'boolean', summary: 'move the data that is there aside' },
  },
  details: [
    'A file that ends in .entrepot, or a directory, as "entrepot backup" has made it, by this or an',
    'older version. It goes into the database of the settings, which may be of the other kind than',
    'the one it was made of: SQLite in the data directory, or an empty PostgreSQL database. The',
    'search index is built anew while the server runs. Put the master key of the backup there, too.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err }) {
    const options = { replace: input.flag('replace') }
    const config = await loadConfig()
    const directory = input.argument('directory')
    const { copied, aside, missing } = await operations.restore(config, directory, options)
    err(
      `Restored from ${directory} into ${config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL'}.`,
    )
    if (aside) err(`What was there before is in ${aside}.`)
    out(table(copied))
    for (const line of tellMissing(missing, COPY_THEM)) err(line)
  },
}
