import type { Command } from '../command.ts'
import { findServer, sendable } from '../find-server.ts'
import { UsageError } from '../usage-error.ts'

export const importStrapi: Command = {
  name: 'import strapi',
  summary: 'bring over types, languages, entries and files of a running Strapi 5',
  arguments: ['from'],
  options: {
    token: { type: 'string', value: '<token>', summary: 'of full access; else ENTREPOT_CLI_TOKEN' },
    schema: {
      type: 'string',
      value: '<dir>',
      summary: 'the project, where types are read instead',
    },
    'dry-run': { type: 'boolean', summary: 'say what would come over and what would not' },
    url: { type: 'string', value: '<url>', summary: 'server; else cli.url, else this machine' },
    key: { type: 'string', value: '<key>', summary: 'API key of level admin; else cli.key' },
  },
  details: [
    '  entrepot import strapi https://old.example --token … --dry-run',
    '',
    'What cannot come over is listed before anything is written. An import that was interrupted goes on when it is',
    'run again; one that is repeated brings over what has changed there since, and leaves alone what was changed here.',
    'Working and live copies, languages, relations with their order, components, zones and files come over, with',
    'their times. A documentId becomes a UUID; the old one is the external_id of the entry.',
  ].join('\n'),
  async run(input, { loadConfig, out, err, progress }) {
    const from = parseUrl(input.argument('from'))
    const config = await loadConfig()
    const key = input.text('key') ?? config.cli.key ?? config.admin.key
    if (key === undefined) throw new UsageError('"import strapi" needs --key or ENTREPOT_CLI_KEY')
    const token = input.text('token') ?? config.cli.token
    if (token === undefined) {
      throw new UsageError(
        '"import strapi" needs --token: make one of type "Full access" in Strapi under Settings → API Tokens',
      )
    }
    sendable(key, 'key')
    sendable(token, 'token')
    const url = await findServer(input.text('url'), config)
    const { runStrapiImport } = await import('../strapi/run.ts')
    const dryRun = input.flag('dry-run')
    const failed = await runStrapiImport(
      { from, token, schema: input.text('schema'), url, key, dryRun },
      { out, err, ...(progress ? { progress } : {}) },
    )
    if (failed > 0) err(`${failed} could not be brought over; run it again when they are mended`)
    return failed > 0 ? 1 : 0
  },
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(`${text} is not the URL of a Strapi, such as https://old.example`)
  }
  return text.replace(/\/+$/, '').replace(/\/api$/, '')
}
