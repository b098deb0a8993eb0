/** What clients ask to know plugins and schemas (contract §3.4). */
import type { FastifyReply } from 'fastify'
import { DomainError } from '#kernel'
import type { PluginDefinition } from '../plane/plugin.ts'
import type { Plugins } from '../plugins/load.ts'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'
import { notSupported, refuse } from './errors.ts'
import type { ListQuery } from './lists.ts'

interface Call {
  readonly method: string
  readonly path: readonly string[]
  readonly query: ListQuery
  readonly body: unknown
  readonly reply: FastifyReply
}

export function pluginRoute({ method, path, query, reply }: Call, plugins: Plugins): unknown {
  const [, name] = path
  if (name === 'reload') {
    if (method !== 'PUT') throw notSupported(method, 'plugins/reload')
    return reply.type('application/json').send('"done"')
  }
  if (method !== 'GET' && method !== 'HEAD') throw notSupported(method, 'plugins')
  if (name === 'list') return plugins.named.map(([name]) => name)
  if (name === undefined) {
    if (query['all'] !== 'true') throw refuse('name a plugin, or ask with all=true')
    return Object.fromEntries(plugins.named.map(([each, plugin]) => [each, describePlugin(plugin)]))
  }
  return pluginSchema(name, query, plugins)
}

function pluginSchema(name: string, query: ListQuery, plugins: Plugins) {
  const plugin = plugins.find(name)
  if (!plugin) throw unknown(`plugin not found: ${name}`)
  if (query['schema_type'] !== 'consumer') return plugin.schema
  return plugin.consumerSchema ?? plugin.schema
}

interface SchemaDeps {
  readonly descriptions: ReadonlyMap<Kind, Description>
  readonly plugins: Plugins
  validate(kind: Kind, body: unknown): void
}

export function schemaRoute(call: Call, deps: SchemaDeps): unknown {
  const { descriptions, plugins, validate } = deps
  const { method, path, query, body, reply } = call
  const [, name, kindName] = path
  const all = [...descriptions.values()]
  if (name === 'validate') {
    if (method !== 'POST') throw notSupported(method, 'schema/validate')
    const found = all.find(({ kind }) => kind === kindName)
    if (!found) throw unknown(`Unsupported resource type: ${kindName ?? ''}`)
    validate(found.kind, body)
    return reply.code(200).send()
  }
  if (method !== 'GET' && method !== 'HEAD') throw notSupported(method, 'schema')
  if (name === 'plugins' && kindName !== undefined) return pluginSchema(kindName, query, plugins)
  const found = all.find(({ kind, noun }) => kind === name || noun.replaceAll(' ', '_') === name)
  if (!found) throw unknown(`schema not found: ${name ?? ''}`)
  return found.schema
}

/** All are of the first version and may stand on a route; those that say who calls are marked. */
function describePlugin({ priority, schema, consumerSchema, authenticates }: PluginDefinition) {
  return {
    version: 0.1,
    priority,
    scope: 'route',
    ...(authenticates ? { type: 'auth' } : {}),
    schema,
    ...(consumerSchema ? { consumer_schema: consumerSchema } : {}),
  }
}

function unknown(message: string): DomainError {
  return new DomainError('not_found', 'not_found', message)
}
