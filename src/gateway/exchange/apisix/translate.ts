/**
 * Objects of ours as objects of the modelled gateway (Apache APISIX 3). What it cannot do is told, and nothing becomes
 * more open by it: a route that loses a plugin is switched off, a consumer that loses one stays behind.
 */
import { isObject } from '#kernel'
import type { Kind } from '../../protocol.ts'
import type { Json, JsonObject } from '../../resources/values.ts'
import { type Item, idOf, type Note, sortItems, type Tell } from '../items.ts'
import { apisixName, hasEqual, toApisixMetadata, toApisixPlugins } from './plugins/index.ts'
import { toApisixUpstream } from './upstream.ts'

interface Translated {
  readonly item: Item
  /** Plugins without an equal. */
  readonly lost: readonly string[]
}

/** Members that the other side does not have. */
const UNKNOWN: Partial<Record<Kind, readonly string[]>> = {
  ssls: ['name'],
  global_rules: ['name', 'desc', 'labels'],
}
/** Members of a route by which requests for one host and URI may meet different routes. */
const DIVIDERS = ['vars', 'remote_addr', 'remote_addrs']
const OWN_API = 'entrepot'

export function toApisix(items: readonly Item[], apiUrl: string) {
  const notes: Note[] = []
  const tellOf = (item: Item): Tell => {
    const of = `${item.kind}/${idOf(item)}`
    return (member, message) => void notes.push({ of, member, message })
  }
  const divides = items.some(isDivided)
  const translated = items.flatMap((item) => translate(item, tellOf(item), divides))
  const kept = closeWhatIsLost(translated, tellOf)
  const all = usesOwnApi(kept) ? [...kept, ownApi(apiUrl, notes)] : kept
  return { items: sortItems(all), notes }
}

function translate(given: Item, tell: Tell, divides: boolean): Translated[] {
  const item = { ...given, value: withVariables(withoutUnknown(given, tell), tell) }
  switch (item.kind) {
    case 'upstreams':
      return [{ item: { ...item, value: toApisixUpstream(item.value, tell) }, lost: [] }]
    case 'ssls':
      return isFallback(item.value)
        ? leaveOut(tell, 'is for names that no other is for: set apisix.ssl.fallback_sni there')
        : [{ item, lost: [] }]
    case 'plugin_metadata':
      return hasEqual(item.id)
        ? [{ item: translateMetadata(item, tell), lost: [] }]
        : leaveOut(tell, 'is of a plugin that has no equal')
    default:
      return [translateOwner(item, tell, item.kind === 'routes' ? isDivided(item) : divides)]
  }
}

function translateMetadata(item: Item, tell: Tell): Item {
  return {
    ...item,
    id: apisixName(item.id),
    value: toApisixMetadata(item.id, item.value, tell),
  }
}

function translateOwner(item: Item, tell: Tell, isDivided: boolean): Translated {
  const { kind } = item
  const { plugins, upstream } = item.value
  const done = isObject<Json>(plugins)
    ? toApisixPlugins({ kind, plugins, isDivided }, tell)
    : undefined
  const inline = isObject<Json>(upstream)
    ? { upstream: toApisixUpstream(upstream, (at, text) => tell(`upstream.${at}`, text)) }
    : {}
  if (item.kind === 'routes' && hasParameters(item.value)) {
    tell(
      'uri',
      'has parameters: they need router.http: radixtree_uri_with_parameter in config.yaml there',
    )
  }
  const value = { ...item.value, ...(done ? { plugins: done.plugins } : {}), ...inline }
  return { item: { ...item, value }, lost: done?.lost ?? [] }
}

function leaveOut(tell: Tell, message: string): Translated[] {
  tell('', `is left out: it ${message}`)
  return []
}

function withoutUnknown({ kind, value }: Item, tell: Tell): JsonObject {
  const unknown = (UNKNOWN[kind] ?? []).filter((name) => Object.hasOwn(value, name))
  for (const name of unknown) tell(name, 'has no equal')
  return Object.fromEntries(Object.entries(value).filter(([name]) => !unknown.includes(name)))
}

/** `$secret://file/NAME` names a file of ours; the environment is known to both. */
function withVariables(value: JsonObject, tell: Tell): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, visit(member, name)]),
  )

  function visit(member: Json, path: string): Json {
    if (Array.isArray(member)) return member.map((each, at) => visit(each, `${path}.${at}`))
    if (isObject<Json>(member)) {
      const entries = Object.entries(member)
      return Object.fromEntries(
        entries.map(([name, each]) => [name, visit(each, `${path}.${name}`)]),
      )
    }
    const [, file] = (typeof member === 'string' && /^\$secret:\/\/file\/(.+)$/.exec(member)) || []
    if (file === undefined) return member
    const variable = file.toUpperCase().replace(/\W/g, '_')
    tell(path, `stood in a file: set the environment variable ${variable} there, before it starts`)
    return `$env://${variable}`
  }
}

/** Plugins of others than routes are taken for divided when any route is. */
function isDivided({ kind, value }: Item): boolean {
  return kind === 'routes' && DIVIDERS.some((name) => value[name] !== undefined)
}

/** A route without uri to begin with cannot be stored. */
function hasParameters({ uri, uris }: JsonObject): boolean {
  const all = [uri, ...(Array.isArray(uris) ? uris : [])]
  return all.some((each) => typeof each === 'string' && /\/(:|\*.)/.test(each))
}

function isFallback({ type, sni, snis }: JsonObject): boolean {
  return type !== 'client' && sni === undefined && snis === undefined
}

function closeWhatIsLost(all: readonly Translated[], tellOf: (item: Item) => Tell): Item[] {
  const losers = (kind: Kind) =>
    new Set(
      all
        .filter(({ item, lost }) => item.kind === kind && lost.length > 0)
        .map(({ item }) => item.id),
    )
  const [services, configs, groups] = [
    losers('services'),
    losers('plugin_configs'),
    losers('consumer_groups'),
  ]
  const isClosed = losers('global_rules').size > 0
  const consumers = new Set(
    all
      .filter(({ item }) => item.kind === 'consumers')
      .filter(({ item, lost }) => lost.length > 0 || groups.has(String(item.value['group_id'])))
      .map(({ item }) => item.id),
  )
  return all.flatMap(({ item, lost }) => {
    const { kind, id, value } = item
    if (kind === 'consumers' && consumers.has(id)) {
      tellOf(item)('', 'is left out with its credentials: it loses a plugin')
      return []
    }
    if (kind === 'credentials' && consumers.has(id.split('/')[0] ?? '')) return []
    const isOff =
      kind === 'routes' &&
      (isClosed ||
        lost.length > 0 ||
        services.has(String(value['service_id'])) ||
        configs.has(String(value['plugin_config_id'])))
    if (!isOff || value['status'] === 0) return [item]
    tellOf(item)('status', 'is 0: the route is switched off until what it loses is replaced')
    return [{ ...item, value: { ...value, status: 0 } }]
  })
}

function usesOwnApi(items: readonly Item[]): boolean {
  return items.some(({ value }) => JSON.stringify(value).includes(`"upstream_id":"${OWN_API}"`))
}

function ownApi(apiUrl: string, notes: Note[]): Item {
  const { protocol, host, port } = new URL(apiUrl)
  const scheme = protocol.slice(0, -1)
  const address = port === '' ? `${host}:${scheme === 'https' ? 443 : 80}` : host
  const message = `is built in here and an ordinary upstream there: check that it reaches Entrepot's API at ${address}`
  notes.push({ of: `upstreams/${OWN_API}`, member: 'nodes', message })
  const value = { type: 'roundrobin', scheme, pass_host: 'node', nodes: { [address]: 1 } }
  return { kind: 'upstreams', id: OWN_API, value }
}
