import type { Command } from '../command.ts'
import { tellMissing } from '../missing-files.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage-error.ts'

const COPY_THEM =
  'Copy them from the node that has them into "uploads" of this data directory before you start the server.'

export const move: Command = {
  name: 'move',
  summary: 'take everything to another database: SQLite to PostgreSQL or back',
  arguments: [],
  options: {
    to: {
      type: 'string',
      value: '<database>',
      summary: 'postgres://…, empty, or sqlite for the data directory',
    },
    cancel: { type: 'boolean', summary: 'give a move up and write here again' },
  },
  details: [
    'The server may run: it goes on answering reads and refuses writes with 503 (moving) until you',
    'start it with the other database. Files, journal and master key stay in the data directory. Of',
    'several nodes stop all but one before, when you move to SQLite. A move that was broken off is',
    'gone on with by the same command. At its end everything is compared, row by row.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err, progress }) {
    const to = input.text('to')
    const isCancelled = input.flag('cancel')
    if (isCancelled === (to !== undefined)) {
      throw new UsageError('say where to with --to, or --cancel')
    }
    const config = await loadConfig()
    if (to === undefined) {
      const was = await operations.cancelMoving(config)
      out(
        was
          ? 'The move is given up: this database is written to again.'
          : 'Nothing is being moved.',
      )
      return
    }
    const { name, tables, rows, files, missing } = await operations.moveTo(config, to, (text) =>
      progress?.(text),
    )
    err(`Moved to ${name}; all of it was compared.`)
    out(
      table([
        ['tables', `${tables}, with ${rows} rows`],
        ['files', String(files)],
      ]),
    )
    for (const line of tellMissing(missing, COPY_THEM)) err(line)
    err(
      to === 'sqlite'
        ? 'Now remove ENTREPOT_DATABASE_URL (database_url) from the settings, and start the server again.'
        : 'Now set ENTREPOT_DATABASE_URL (database_url) to it, and start the server again.',
    )
  },
}
