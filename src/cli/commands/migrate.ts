import type { Command } from '../command.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database to the schema of this version',
  arguments: [],
  options: {},
  details: 'The server does this by itself when it starts; there is no way back but a backup.',
  async run(_input, { operations, loadConfig, out }) {
    const applied = await operations.migrate(await loadConfig())
    for (const name of applied) out(`applied ${name}`)
    if (applied.length === 0) out('The database is up to date.')
  },
}
