/**
 * The configuration of one thread, compiled. A change compiles only what it names; everything else,
 * and what requests under way hold, stays as it is.
 */
import { performance } from 'node:perf_hooks'
import type { ThreadAccess } from '#access-thread'
import type { SharedCounters } from '#counters'
import type { Clock, KeyPair, Log } from '#kernel'
import { createRedisPool } from '../limits/redis.ts'
import type { Loggers } from '../loggers/index.ts'
import type { Abort, ApiAddress, ConfigChange, ConfigObject } from '../protocol.ts'
import type { JsonObject, RouteValue, UpstreamValue } from '../resources/values.ts'
import type { Scripts } from '../scripts/scripts.ts'
import { BUILT_IN, createBuiltIn } from './built-in.ts'
import {
  type Certificate,
  type ClientPair,
  compileCertificate,
  compileClientPair,
  createEntrance,
  indexCertificates,
  type ServeTls,
} from './certificates.ts'
import {
  type Chain,
  compilePlugins,
  createChain,
  type Instance,
  type Instances,
  mergeInstances,
  NO_CHAIN,
  NO_INSTANCES,
} from './chain.ts'
import {
  type Consumer,
  type Consumers,
  createConsumers,
  NO_CONSUMERS,
  type StoredConsumer,
  type StoredCredential,
} from './consumers.ts'
import type { Context } from './context.ts'
import type { PluginCounters, PluginDefinition, PluginDeps } from './plugin.ts'
import { mentionsBody } from './request-body.ts'
import {
  type CompiledRoute,
  type CompiledService,
  createAccepts,
  type Joined,
  type Resolved,
  timeoutsOf,
} from './resolve.ts'
import { createRouter } from './router.ts'
import { type CompiledUpstream, compileUpstream, type UpstreamDeps } from './upstream.ts'

interface Deps
  extends Omit<UpstreamDeps, 'findClientPair'>,
    Pick<PluginDeps, 'call' | 'cache' | 'purge' | 'sessionKey'> {
  readonly log: Log
  readonly clock: Clock
  findPlugin(name: string): PluginDefinition | undefined
  readonly access: ThreadAccess
  readonly counters: SharedCounters
  readonly scripts: Scripts
  readonly loggers: Loggers
  readonly count: PluginDeps['count']
  /** Where the built-in upstream leads. */
  readonly api: ApiAddress | null
  /** Where http is sent to when it should be https; null without TLS. */
  readonly tlsPort: number | null
  readonly defaultCertificate: KeyPair | null
  readonly serveTls: ServeTls
  /** Tells the control plane that a guard has tripped. */
  abort(abort: Abort): void
  /** Lets requests be served, when there is more to compile than they can wait for. */
  pause(): Promise<void>
}

/** How long requests may have to wait for a part of a large configuration. */
const SLICE_MS = 20

const NO_SLOTS = { cursor: -1, nodes: {} }

export function createState(deps: Deps) {
  const { log, memory, clock, findPlugin } = deps
  const redis = createRedisPool({ clock })
  const router = createRouter<CompiledRoute>()
  const routes = new Map<string, CompiledRoute>()
  /** Routes whose conditions look at bodies. */
  const bodyRoutes = new Set<string>()
  const upstreams = new Map<string, CompiledUpstream>()
  const clientPairs = new Map<string, ClientPair>()
  const upstreamDeps = { ...deps, findClientPair: (id: string) => clientPairs.get(id) }
  const builtIn = createBuiltIn({ ...upstreamDeps, now: clock.now })
  const services = new Map<string, CompiledService>()
  const pluginConfigs = new Map<string, Instances>()
  const groups = new Map<string, Instances>()
  const globalRules = new Map<string, Instances>()
  const certificates = new Map<string, Certificate>()
  const metadata = new Map<string, JsonObject>()
  const storedConsumers = new Map<string, StoredConsumer>()
  const credentials = new Map<string, StoredCredential>()
  let consumers: Consumers = NO_CONSUMERS
  let globalChain: Chain = NO_CHAIN
  const { defaultCertificate, serveTls } = deps
  const defaultEntrance = defaultCertificate && createEntrance(defaultCertificate, serveTls)
  let certificateIndex = indexCertificates([], defaultEntrance)
  let version = 0

  return {
    apply,
    reset,
    resolve,
    match: router.match,
    candidates: router.candidates,
    /** Whether a route looks at bodies to decide; without one none is read for it. */
    matchesByBody: () => bodyRoutes.size > 0,
    findTlsServer: (name: string) => certificateIndex.find(name)?.server,
    isMisdirected: ({ host, client }: Context) =>
      certificateIndex.isMisdirected(host, client.entrance),
    consumers: () => consumers,
    globalChain: () => globalChain,
    hasUpstream,
  }

  async function apply(changes: readonly ConfigChange[]): Promise<void> {
    swapAll(changes, await prepareAll(changes))
  }

  /** Beside the traffic, which goes by the old objects until all of the new ones are there. */
  async function prepareAll(changes: readonly ConfigChange[]): Promise<(() => void)[]> {
    const swaps: (() => void)[] = []
    let since = performance.now()
    for (const change of changes) {
      if (performance.now() - since > SLICE_MS) {
        await deps.pause()
        since = performance.now()
      }
      swaps.push(
        'put' in change ? prepare(change.put) : removal(change.remove.kind, change.remove.id),
      )
    }
    return swaps
  }

  function swapAll(changes: readonly ConfigChange[], swaps: readonly (() => void)[]) {
    for (const swap of swaps) attempt(swap)
    attempt(() => rehost(changes))
    version++
    attempt(() => {
      globalChain = mergeGlobal()
    })
    const kinds = new Set(changes.map(kindOf))
    if (CONSUMER_KINDS.some((kind) => kinds.has(kind))) attempt(gatherConsumers)
    if (kinds.has('ssls')) attempt(indexNames)
  }

  function indexNames() {
    certificateIndex = indexCertificates(certificates.values(), defaultEntrance)
  }

  function gatherConsumers() {
    const group = (id: string) => groups.get(id)
    consumers = createConsumers(storedConsumers.values(), credentials.values(), group)
  }

  /** One object that cannot be put in place keeps none of the others from theirs. */
  function attempt(swap: () => void) {
    try {
      swap()
    } catch (error) {
      log.error({ err: error }, 'a gateway object cannot be used and is skipped')
    }
  }

  /** Routes without hosts of their own have those of their service (contract §3.3). */
  function rehost(changes: readonly ConfigChange[]) {
    const touched = new Set(changes.map(identityOf))
    for (const route of routes.values()) {
      const { service_id: service } = route.value
      if (service === undefined || !touched.has(`services/${service}`)) continue
      const hosts = hostsOf(route.value)
      if (hosts.join() === route.hosts.join()) continue
      router.remove(route)
      route.hosts = hosts
      router.add(route)
    }
  }

  function hostsOf({ host, hosts, service_id: id }: RouteValue): readonly string[] {
    const own = hosts ?? (host === undefined ? undefined : [host])
    const inherited = id === undefined ? undefined : services.get(String(id))?.value.hosts
    return (own ?? inherited ?? []).map((each) => each.toLowerCase())
  }

  /** A full copy takes the place of everything. */
  async function reset(objects: readonly ConfigObject[]): Promise<void> {
    const changes = objects.map((put) => ({ put }))
    const swaps = await prepareAll(changes)
    for (const route of routes.values()) router.remove(route)
    for (const map of [routes, upstreams, services, pluginConfigs, groups, globalRules]) map.clear()
    bodyRoutes.clear()
    certificates.clear()
    clientPairs.clear()
    indexNames()
    metadata.clear()
    storedConsumers.clear()
    credentials.clear()
    consumers = NO_CONSUMERS
    swapAll(changes, swaps)
  }

  function removal(kind: ConfigObject['kind'], id: string): () => void {
    return () => {
      if (kind === 'routes') dropRoute(id)
      else if (kind === 'ssls') dropCertificate(id)
      else mapOf(kind)?.delete(id)
    }
  }

  function mapOf(kind: ConfigObject['kind']): Map<string, unknown> | undefined {
    const maps: Partial<Record<ConfigObject['kind'], Map<string, unknown>>> = {
      upstreams,
      services,
      plugin_configs: pluginConfigs,
      consumer_groups: groups,
      global_rules: globalRules,
      plugin_metadata: metadata,
      consumers: storedConsumers,
      credentials,
    }
    return maps[kind]
  }

  /** Contract §10: what cannot be compiled is skipped and logged, the others work. */
  function prepare(object: ConfigObject): () => void {
    try {
      return compile(object)
    } catch (error) {
      const { kind, id } = object
      log.error({ err: error, kind, id }, 'a gateway object cannot be used and is skipped')
      return removal(kind, id)
    }
  }

  function compile(object: ConfigObject): () => void {
    const { id } = object
    switch (object.kind) {
      case 'routes': {
        const route = compileRoute(object)
        return () => {
          dropRoute(id)
          route.hosts = hostsOf(route.value)
          routes.set(id, route)
          if (route.readsBody) bodyRoutes.add(id)
          router.add(route)
        }
      }
      case 'services': {
        const service = compileService(object)
        return () => void services.set(id, service)
      }
      case 'upstreams': {
        const upstream = upstreamIn(object, '', object.value)
        return () => void upstreams.set(id, upstream)
      }
      case 'consumers': {
        const stored = { value: object.value, plugins: pluginsOf(object) }
        return () => void storedConsumers.set(id, stored)
      }
      case 'consumer_groups': {
        const plugins = pluginsOf(object)
        return () => void groups.set(id, plugins)
      }
      case 'plugin_configs': {
        const plugins = pluginsOf(object)
        return () => void pluginConfigs.set(id, plugins)
      }
      case 'global_rules': {
        const plugins = pluginsOf(object)
        return () => void globalRules.set(id, plugins)
      }
      case 'ssls': {
        const { value, createdIndex } = object
        if (value.status === 0) return () => dropCertificate(id)
        if (value.type === 'client') {
          const pair = compileClientPair(value)
          return () => {
            dropCertificate(id)
            clientPairs.set(id, pair)
          }
        }
        const certificate = compileCertificate(value, createdIndex, serveTls)
        return () => {
          dropCertificate(id)
          certificates.set(id, certificate)
        }
      }
      case 'plugin_metadata':
        return () => void metadata.set(id, object.value)
      case 'credentials': {
        const stored = { path: id, plugins: object.value.plugins ?? {} }
        return () => void credentials.set(id, stored)
      }
    }
  }

  function compileRoute(object: Extract<ConfigObject, { kind: 'routes' }>): CompiledRoute {
    const { id, value, createdIndex } = object
    return {
      id,
      value,
      createdIndex,
      uris: value.uris ?? (value.uri === undefined ? [] : [value.uri]),
      hosts: [],
      priority: value.priority ?? 0,
      varsCount: value.vars?.length ?? 0,
      hasMethods: (value.methods?.length ?? 0) > 0,
      accepts: createAccepts(value, id),
      plugins: pluginsOf(object),
      upstream: value.upstream ? upstreamIn(object, '', value.upstream) : null,
      timeouts: timeoutsOf(value),
      readsBody: mentionsBody(value.vars),
      resolved: null,
    }
  }

  function compileService(object: Extract<ConfigObject, { kind: 'services' }>): CompiledService {
    const { id, value } = object
    const upstream = value.upstream ? upstreamIn(object, '', value.upstream) : null
    return { id, value, plugins: pluginsOf(object), upstream }
  }

  function upstreamIn(object: ConfigObject, place: string, value: UpstreamValue) {
    const key = place === '' ? keyOf(object) : `${keyOf(object)}/${place}`
    return compileUpstream(key, value, object.slots[place] ?? NO_SLOTS, upstreamDeps)
  }

  function pluginsOf(object: ConfigObject): Instances {
    const { value } = object
    const plugins = 'plugins' in value && isPlugins(value.plugins) ? value.plugins : undefined
    return compilePlugins(plugins, {
      owner: keyOf(object),
      find: (name) => {
        const found = findPlugin(name)
        // On a consumer these are what it authenticates with, not something to run.
        return object.kind === 'consumers' && found?.authenticates ? undefined : found
      },
      deps: (owner, plugin) => pluginDeps(object, owner, plugin),
    })
  }

  function pluginDeps(object: ConfigObject, owner: string, plugin: string): PluginDeps {
    const own = new Map<string, number>()
    return {
      owner,
      plugin,
      clock,
      log,
      count: deps.count,
      scripts: deps.scripts,
      loggers: deps.loggers,
      metadata: () => metadata.get(plugin),
      access: deps.access,
      tlsPort: deps.tlsPort,
      call: deps.call,
      cache: deps.cache,
      purge: deps.purge,
      sessionKey: deps.sessionKey,
      counters: countersOf(plugin),
      generation: memory.generation,
      redis,
      edition: object.modifiedIndex,
      isAborted: (part) => object.aborts?.includes(`${plugin}/${part}`) ?? false,
      abort(part, found) {
        const { kind, id, modifiedIndex } = object
        deps.abort({ kind, id, modifiedIndex, part: `${plugin}/${part}`, ...found })
      },
      cursor(name, length) {
        const slots = object.slots[`${plugin}/${name}`]
        if (slots && slots.cursor >= 0) return memory.next(slots.cursor, length)
        const next = own.get(name) ?? 0
        own.set(name, next + 1)
        return next % length
      },
      upstreams: {
        has: hasUpstream,
        byId(ctx, id) {
          ctx.upstream = findUpstream(id) ?? MISSING
        },
        inline(place, value) {
          const upstream = upstreamIn(object, `${plugin}/${place}`, value)
          return (ctx) => {
            ctx.upstream = upstream
          }
        },
      },
    }
  }

  /** Under names that no other plugin, and no counter of keys, can have. */
  function countersOf(plugin: string): PluginCounters {
    const { addSync, readSync, updateSync } = deps.counters
    const nameOf = (name: string) => `gateway/${plugin}/${name}`
    return {
      add: (steps) => addSync(steps.map((step) => ({ ...step, name: nameOf(step.name) }))),
      read: (name, window) => readSync(nameOf(name), window),
      update: (name, change) => updateSync(nameOf(name), change),
    }
  }

  function dropCertificate(id: string) {
    certificates.delete(id)
    clientPairs.delete(id)
  }

  function dropRoute(id: string) {
    const route = routes.get(id)
    if (!route) return
    routes.delete(id)
    bodyRoutes.delete(id)
    router.remove(route)
  }

  function mergeGlobal(): Chain {
    const instances: Instance[] = [...globalRules.values()].flatMap((rule) => [...rule.values()])
    return instances.length === 0 ? NO_CHAIN : createChain(instances)
  }

  function hasUpstream(id: string): boolean {
    return findUpstream(id) !== undefined
  }

  function findUpstream(id: string): CompiledUpstream | undefined {
    return id === BUILT_IN ? builtIn : upstreams.get(id)
  }

  /** The route with what it refers to now; the same object until the configuration changes. */
  function resolve(route: CompiledRoute): Resolved {
    if (route.resolved?.version === version) return route.resolved
    const { value } = route
    const service =
      value.service_id === undefined ? null : (services.get(String(value.service_id)) ?? null)
    const named = route.upstream ? undefined : (value.upstream_id ?? service?.value.upstream_id)
    const found = named === undefined ? undefined : findUpstream(String(named))
    const upstream = route.upstream ?? (named === undefined ? service?.upstream : found) ?? null
    const config =
      value.plugin_config_id === undefined
        ? NO_INSTANCES
        : pluginConfigs.get(String(value.plugin_config_id))
    const owners = [route.plugins, config ?? NO_INSTANCES, service?.plugins ?? NO_INSTANCES]
    const chain = mergeInstances(owners)
    const joined = new Map<Consumer, Joined>()
    const resolved: Resolved = {
      version,
      route,
      service,
      upstream,
      isUpstreamMissing: upstream === null && named !== undefined,
      lacksPlugins: config === undefined || (service === null && value.service_id !== undefined),
      timeouts: route.timeouts ?? upstream?.timeouts ?? null,
      hasWebSocket: value.enable_websocket ?? service?.value.enable_websocket ?? false,
      chain,
      join(consumer) {
        // Buyers are many and bring nothing along: nothing is kept for each of them.
        if (consumer.plugins.size + consumer.groupPlugins.size === 0) return { chain, late: [] }
        const known = joined.get(consumer)
        if (known) return known
        const whole = mergeInstances([consumer.plugins, consumer.groupPlugins, ...owners])
        const late = whole.rewrite.filter((instance) => !chain.rewrite.includes(instance))
        const made = { chain: whole, late }
        joined.set(consumer, made)
        return made
      },
    }
    route.resolved = resolved
    return resolved
  }
}

export type State = ReturnType<typeof createState>

/** Stands for an upstream that was deleted although it is used. */
export const MISSING: CompiledUpstream = {
  key: 'missing',
  nodes: [],
  timeouts: { connectMs: 1, sendMs: 1, readMs: 1 },
  retries: 0,
  retryMs: 0,
  passHost: 'pass',
  rewrittenHost: '',
  passive: null,
  countsBusy: false,
  measuresLatency: false,
  readsBody: false,
  ownHeaders: null,
  pick: (_ctx: Context) => undefined,
}

const CONSUMER_KINDS = ['consumers', 'credentials', 'consumer_groups'] as const

function kindOf(change: ConfigChange): ConfigObject['kind'] {
  return 'put' in change ? change.put.kind : change.remove.kind
}

function identityOf(change: ConfigChange): string {
  const { kind, id } = 'put' in change ? change.put : change.remove
  return `${kind}/${id}`
}

function keyOf({ kind, id }: ConfigObject): string {
  return `${kind}/${id}`
}

function isPlugins(value: unknown): value is Readonly<Record<string, Record<string, never>>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
