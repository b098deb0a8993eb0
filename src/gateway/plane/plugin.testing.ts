/** For the tests beside plugins: requests that nobody has sent, and plugins without a gateway. */
import type { Context } from './context.ts'
import { createImagined } from './explain.ts'
import { createOpener } from './open-context.ts'
import type { PluginDefinition, PluginDeps, PluginPhases, WriteTools } from './plugin.ts'

interface Asked {
  readonly method?: string
  readonly uri?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly from?: string
}

const TOOLS: WriteTools = { scripts: { findFailure: () => null }, logPathFault: () => null }
const toContext = createImagined(
  createOpener({
    trusted: null,
    newId: () => 'an-id',
    crash(_ctx, error) {
      throw error
    },
  }),
  9080,
)

export function imagine({ method = 'GET', uri = '/', headers = {}, from }: Asked = {}): Context {
  const remote = { remote_addr: from ?? '192.0.2.1' }
  return toContext({ method, uri, host: 'shop.example', headers, ...remote })
}

/** Of a plugin that needs nothing but its settings; whatever else it reaches for is not there. */
export function phasesOf(plugin: PluginDefinition, conf: object): PluginPhases {
  const deps: PluginDeps = Object.assign(Object.create(null), { tlsPort: null })
  return plugin.setup(conf, deps)
}

/** Where settings are at fault, by their paths. */
export function faultsOf(plugin: PluginDefinition, conf: object, isConsumer = false): string[] {
  return plugin.findFaults(conf, isConsumer, TOOLS).map(({ path }) => path)
}
