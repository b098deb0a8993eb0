/** One description per resource: everything the administration does follows from these. */

import type { TSchema } from 'typebox'
import { isObject } from '#kernel'
import type { PluginPlace } from '../plane/plugin.ts'
import type { Plugins } from '../plugins/load.ts'
import type { Kind } from '../protocol.ts'
import { check, type Fault } from './check.ts'
import {
  below,
  idleFaults,
  pluginsFaults,
  routeFaults,
  sslFaults,
  upstreamFaults,
} from './faults.ts'
import {
  CONSUMER,
  CREDENTIAL,
  METADATA,
  PLUGINS_OWNER,
  ROUTE,
  SERVICE,
  SSL,
  UPSTREAM,
} from './schemas.ts'
import type {
  JsonObject,
  PluginsValue,
  RouteValue,
  ServiceValue,
  SslValue,
  UpstreamValue,
} from './values.ts'

export interface Reference {
  readonly kind: Kind
  readonly id: string
}

/** A part of an object that has a place in the shared memory: an upstream, or a cursor alone. */
export interface Placed {
  /** `''` for the object's own upstream. */
  readonly place: string
  readonly upstream: UpstreamValue | null
}

export interface Description {
  readonly kind: Kind
  /** As in "upstream [1] is still in use by route [7]". */
  readonly noun: string
  readonly schema: TSchema
  /** Consumers carry `username` and no `id`. */
  readonly idMember: 'id' | 'username'
  /** Consumers and credentials are only put, as a whole. */
  readonly isPutOnly: boolean
  /** Its id is the name of a plugin, which nobody can make up: it cannot be posted. */
  readonly isNamed: boolean
  /** Every fault of a value, its members' included. */
  findFaults(value: JsonObject): Fault[]
  /** What has no effect where it stands, which is refused of what is written only. */
  findIdle(value: JsonObject): Fault[]
  references(value: JsonObject): Reference[]
  placed(value: JsonObject): Placed[]
  /** Paths of members that are secret, such as `['plugins', 'key-auth', 'key']`. */
  secrets(value: JsonObject): string[][]
  /** Members that nobody is shown. */
  readonly hidden: readonly string[]
}

type Part = Partial<
  Pick<Description, 'idMember' | 'isPutOnly' | 'isNamed' | 'hidden'> & {
    faults(value: JsonObject): Fault[]
    refers(value: JsonObject): Reference[]
    secretMembers: readonly string[]
  }
>

export function describeResources(plugins: Plugins): ReadonlyMap<Kind, Description> {
  const all = [
    describe('routes', 'route', ROUTE, { faults: onRoute, refers: refersOfRoute }),
    describe('services', 'service', SERVICE, { faults: onService, refers: refersOfService }),
    describe('upstreams', 'upstream', UPSTREAM, { faults: (value) => upstreamFaults(value) }),
    describe('consumers', 'consumer', CONSUMER, {
      idMember: 'username',
      isPutOnly: true,
      refers: (value) => refer('consumer_groups', value['group_id']),
    }),
    describe('credentials', 'credential', CREDENTIAL, { isPutOnly: true, faults: onCredential }),
    describe('consumer_groups', 'consumer group', PLUGINS_OWNER, {}),
    describe('plugin_configs', 'plugin config', PLUGINS_OWNER, {}),
    describe('global_rules', 'global rule', PLUGINS_OWNER, {}),
    describe('plugin_metadata', 'plugin metadata', METADATA, { isNamed: true }),
    describe('ssls', 'ssl', SSL, {
      faults: (value) => (isSsl(value) ? sslFaults(value) : []),
      hidden: ['key', 'keys'],
      secretMembers: ['key', 'keys'],
    }),
  ]
  return new Map(all.map((description) => [description.kind, description]))

  function describe(kind: Kind, noun: string, schema: TSchema, part: Part): Description {
    const hasPlugins = kind !== 'plugin_metadata'
    const placed = (value: JsonObject): Placed[] => [
      ...ownUpstream(kind, value),
      ...(hasPlugins ? pluginPlaces(value) : []),
    ]
    return {
      kind,
      noun,
      schema,
      idMember: part.idMember ?? 'id',
      isPutOnly: part.isPutOnly ?? false,
      isNamed: part.isNamed ?? false,
      hidden: part.hidden ?? [],
      findFaults(value) {
        const shape = check(schema, value)
        const settings = hasPlugins ? pluginsFaults(settingsOf(value), plugins, kind) : []
        return [...shape, ...deepFaults(value, shape, part.faults), ...settings]
      },
      findIdle: (value) => (hasPlugins ? idleFaults(settingsOf(value), plugins, kind) : []),
      references: (value) => [
        ...(part.refers?.(value) ?? []),
        ...(hasPlugins
          ? placesOf(value).flatMap(({ upstreamId }) => refer('upstreams', upstreamId))
          : []),
        ...placed(value).flatMap(({ upstream }) => refer('ssls', upstream?.tls?.client_cert_id)),
      ],
      placed,
      secrets: (value) => [
        ...upstreamSecrets(kind, value),
        ...(part.secretMembers ?? []).filter((name) => name in value).map((name) => [name]),
        ...(hasPlugins ? pluginSecrets(value) : []),
      ],
    }
  }

  function placesOf(value: JsonObject): (PluginPlace & { readonly plugin: string })[] {
    return Object.entries(settingsOf(value) ?? {}).flatMap(([name, conf]) => {
      const plugin = plugins.find(name)
      return (plugin?.places(conf) ?? []).map((place) => ({
        ...place,
        plugin: plugin?.name ?? name,
      }))
    })
  }

  function pluginPlaces(value: JsonObject): Placed[] {
    return placesOf(value)
      .filter(({ upstreamId }) => upstreamId === undefined)
      .map(({ plugin, name, upstream }) => ({
        place: `${plugin}/${name}`,
        upstream: upstream ?? null,
      }))
  }

  function pluginSecrets(value: JsonObject): string[][] {
    return Object.entries(settingsOf(value) ?? {}).flatMap(([name, conf]) =>
      (plugins.find(name)?.secrets ?? [])
        .map((path) => ['plugins', name, ...path.split('.')])
        .filter(([, , member = '']) => member in conf),
    )
  }
}

/** Also of a value whose shape is wrong elsewhere, as far as it can be looked at. */
function deepFaults(
  value: JsonObject,
  shape: readonly Fault[],
  find: ((value: JsonObject) => Fault[]) | undefined,
): Fault[] {
  if (!find) return []
  if (shape.length === 0) return find(value)
  try {
    return find(value).filter(({ path }) => !shape.some((fault) => fault.path === path))
  } catch {
    return []
  }
}

function ownUpstream(kind: Kind, value: JsonObject): Placed[] {
  if (kind === 'upstreams') return [{ place: '', upstream: value }]
  const { upstream } = value
  const isOwner = kind === 'routes' || kind === 'services'
  return isOwner && isObject(upstream) ? [{ place: '', upstream }] : []
}

function upstreamSecrets(kind: Kind, value: JsonObject): string[][] {
  const path = kind === 'upstreams' ? [] : ['upstream']
  const [own] = ownUpstream(kind, value)
  const isKept = own?.upstream?.tls?.client_key !== undefined
  return isKept ? [[...path, 'tls', 'client_key']] : []
}

function onRoute(value: JsonObject): Fault[] {
  return [...(isRoute(value) ? routeFaults(value) : []), ...inlineFaults(value)]
}

function onService(value: JsonObject): Fault[] {
  const isBoth = value['upstream'] !== undefined && value['upstream_id'] !== undefined
  const both = { path: '/upstream', message: 'must not stand beside upstream_id' }
  return [...(isBoth ? [both] : []), ...inlineFaults(value)]
}

function inlineFaults({ upstream }: JsonObject): Fault[] {
  return isObject(upstream)
    ? upstreamFaults(upstream).map((fault) => below('/upstream', fault))
    : []
}

function onCredential(value: JsonObject): Fault[] {
  const count = Object.keys(settingsOf(value) ?? {}).length
  return count <= 1 ? [] : [{ path: '/plugins', message: 'must hold one plugin at most' }]
}

function refersOfRoute(value: JsonObject): Reference[] {
  return [
    ...refer('upstreams', value['upstream_id']),
    ...refer('services', value['service_id']),
    ...refer('plugin_configs', value['plugin_config_id']),
  ]
}

function refersOfService(value: JsonObject): Reference[] {
  return refer('upstreams', value['upstream_id'])
}

function refer(kind: Kind, id: unknown): Reference[] {
  return typeof id === 'string' || typeof id === 'number' ? [{ kind, id: String(id) }] : []
}

function settingsOf({ plugins }: JsonObject): PluginsValue | undefined {
  if (!isObject(plugins)) return undefined
  const entries = Object.entries(plugins).flatMap(([name, conf]) =>
    isObject(conf) ? [[name, conf] as const] : [],
  )
  return Object.fromEntries(entries)
}

// The schema was checked just before.
function isRoute(value: JsonObject): value is JsonObject & RouteValue & ServiceValue {
  return isObject(value)
}

function isSsl(value: JsonObject): value is JsonObject & SslValue {
  return isObject(value)
}
