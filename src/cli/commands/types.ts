import { OperatorError } from '#kernel'
import type { Command } from '../command.ts'
import { findServer, keyFor, serverOptions } from '../find-server.ts'

export const types: Command = {
  name: 'types',
  summary: 'write down the content types of a running server for TypeScript',
  arguments: [],
  options: serverOptions('admin'),
  details: [
    '  npx entrepot types > entrepot.d.ts',
    '',
    'gives @entrepot/client its types: createClient<Content>({ … }) after import type { Content } from',
    "'./entrepot.d.ts'. Write it again when types have changed. The key is better given as",
    'ENTREPOT_CLI_KEY, because other users of this machine can see options.',
  ].join('\n'),
  async run(input, { loadConfig, write }) {
    const config = await loadConfig()
    const key = keyFor(types, input, config)
    const url = await findServer(input.text('url'), config)
    const { readDefinitions } = await import('../types/read.ts')
    const { renderTypes } = await import('../types/render.ts')
    const definitions = await readDefinitions({ url, key })
    if (definitions.types.length === 0) {
      throw new OperatorError(
        `${url} has no content types: define one with POST /api/v1/content-types first`,
      )
    }
    await write(renderTypes(url, definitions))
  },
}
