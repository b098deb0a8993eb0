import type { Command } from '../command.ts'
import { findServer, sendable } from '../find-server.ts'
import { UsageError } from '../usage-error.ts'

export const gatewayImport: Command = {
  name: 'gateway import',
  summary: 'make a file the configuration of the gateway, whole or not at all',
  arguments: ['file'],
  options: {
    'dry-run': { type: 'boolean', summary: 'only say what would be refused and changed' },
    replace: { type: 'boolean', summary: 'remove what is stored and not in the file' },
    'leave-out': {
      type: 'string',
      value: '<names>',
      summary: 'go on without these plugins, members, kinds or objects (a,b,upstreams/7)',
    },
    url: { type: 'string', value: '<url>', summary: 'server; else cli.url, else this machine' },
    key: {
      type: 'string',
      value: '<key>',
      summary: 'of the administration; else cli.key, else gateway.admin_key',
    },
  },
  details: [
    'The file is what "gateway export" has written, a body of PUT /gateway/admin/configs, or the',
    'apisix.yaml of Apache APISIX in standalone mode; YAML or JSON. A running server checks it: what',
    'is not understood is named with its line and nothing is stored, unless it is left out by name.',
    'Everything is stored by one write: it is there as a whole, /rollback takes it back, and requests',
    'under way keep what they began with. A secret that is ****** in the file stays as it is stored.',
    'The key is better given as ENTREPOT_CLI_KEY, because other users of this machine can see options.',
  ].join('\n'),
  async run(input, { loadConfig, out, err }) {
    const { readConfiguration } = await import('../gateway/read-file.ts')
    const { runGatewayImport } = await import('../gateway/import.ts')
    const file = await readConfiguration(input.argument('file'))
    const config = await loadConfig()
    const { cli, gateway, admin } = config
    const key = input.text('key') ?? cli.key ?? gateway.adminKey ?? admin.key
    if (key === undefined) throw new UsageError('"gateway import" needs --key or ENTREPOT_CLI_KEY')
    const job = {
      ...{
        file,
        key: sendable(key, 'key'),
        isDryRun: input.flag('dry-run'),
        isReplacing: input.flag('replace'),
      },
      url: await findServer(input.text('url'), config),
      leftOut: namesIn(input.text('leave-out')),
    }
    return (await runGatewayImport(job, { out, err })) ? 0 : 1
  },
}

function namesIn(text = ''): ReadonlySet<string> {
  return new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
}
