/**
 * Routes traffic: a data plane in threads of its own, configured while it runs. The main thread keeps
 * the configuration, answers the administration, probes upstreams and directs the threads.
 */
import type { FastifyRequest } from 'fastify'
import type { Bus, Clock, Database, HttpPlugin, Log, Revisions, SecretBox } from '#kernel'
import { type AdminAuthDeps, createAdminAuth } from './admin/auth.ts'
import { createConfiguration } from './admin/configuration.ts'
import { createExplain } from './admin/explain.ts'
import { createObjects } from './admin/objects.ts'
import { controlRoutes, metricsRoutes } from './admin/observation.ts'
import { adminRoutes } from './admin/routes.ts'
import { createStore } from './admin/store.ts'
import { createWhole } from './admin/whole.ts'
import { createCalls } from './calls.ts'
import type { GatewayControl } from './control.ts'
import { createDistribution } from './distribution.ts'
import { loadPlugins } from './plugins/load.ts'
import { createPurges } from './purges.ts'
import { describeResources } from './resources/descriptions.ts'

export { renderAdminError } from './admin/errors.ts'
export { createControl, type GatewayControl } from './control.ts'
export { readDefaultCertificate } from './default-certificate.ts'
export { resetGatewaySecrets } from './lost-secrets.ts'
export type { ConfigChange } from './protocol.ts'

export interface GatewayDeps {
  readonly db: Database
  readonly box: SecretBox
  readonly clock: Clock
  readonly log: Log
  readonly revisions: Revisions
  readonly control: GatewayControl
  readonly metricPrefix: string
  readonly version: string
  readonly nodeId: string
  readonly bus: Bus
}

export interface GatewayRoutes {
  readonly admin: HttpPlugin
  readonly control: HttpPlugin
  readonly metrics: HttpPlugin
  /** Whether the request presents the static admin key. */
  isStaticKey(request: FastifyRequest): boolean
}

export async function createGateway(deps: GatewayDeps) {
  const { db, box, clock, log, revisions, control } = deps
  const plugins = loadPlugins()
  const descriptions = describeResources(plugins)
  const distribution = createDistribution({ control, descriptions, log })
  const configuration = createConfiguration({
    ...{ db, clock, log, revisions, descriptions },
    store: createStore(box),
    publish: distribution.publish,
  })
  const objects = createObjects({ configuration, descriptions })
  const whole = createWhole({ configuration, objects, descriptions })
  const calls = createCalls({ clock, log })
  control.makeCallsWith(calls.call)
  const purges = createPurges({ bus: deps.bus, control })
  const startedAtMs = clock.now()

  return {
    load,
    start,
    stop,
    routes,
    status: control.status,
    /** Who answers the threads what they cannot know, and how they hear of changes. */
    answerWith: control.answerWith,
    forget: control.forget,
    setLimits: control.setLimits,
  }

  /** Before the threads start: they listen only with a configuration (contract §10). */
  async function load(): Promise<void> {
    await distribution.load(await configuration.load())
  }

  async function start(): Promise<void> {
    await load()
    await control.start()
  }

  async function stop(withinMs: number): Promise<void> {
    configuration.close()
    distribution.close()
    await control.stop(withinMs)
    purges.close()
    await calls.close()
  }

  function routes(auth: AdminAuthDeps): GatewayRoutes {
    const observation = {
      ...deps,
      auth: createAdminAuth(auth),
      memory: control.memory,
      probes: distribution.probes,
      prefix: deps.metricPrefix,
      startedAtMs,
      metrics: control.metrics,
      purge: purges.purge,
      revision: configuration.revision,
      schemas: () =>
        Object.fromEntries([...descriptions].map(([kind, { schema }]) => [kind, schema])),
    }
    return {
      admin: adminRoutes({
        ...{ configuration, objects, whole, descriptions, plugins },
        auth: observation.auth,
        explain: createExplain(control),
      }),
      control: controlRoutes(observation),
      metrics: metricsRoutes(observation),
      isStaticKey: observation.auth.isStaticKey,
    }
  }
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>
