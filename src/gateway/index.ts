/**
 * Routes traffic: a data plane in threads of its own, configured while it runs. The main thread keeps
 * the configuration, answers the administration, probes upstreams and directs the threads.
 */
import type { FastifyRequest } from 'fastify'
import type { Bus, Revisions } from '#bus'
import type { Database } from '#db'
import type { Outbox } from '#events'
import type { HttpPlugin } from '#http'
import type { Clock, Log } from '#kernel'
import type { SecretBox } from '#secrets'
import { createAborts } from './admin/aborts.ts'
import { type AdminAuthDeps, createAdminAuth } from './admin/auth.ts'
import { startClockwork } from './admin/clockwork.ts'
import { createConfiguration } from './admin/configuration.ts'
import { createExplain } from './admin/explain.ts'
import { createHistory } from './admin/history.ts'
import { createHistoryStore } from './admin/history-store.ts'
import { createObjects } from './admin/objects.ts'
import { controlRoutes, listUnhealthy, metricsRoutes, sumAnswers } from './admin/observation.ts'
import { gatewayDocument } from './admin/openapi.ts'
import { createReseal } from './admin/reseal.ts'
import { adminRoutes } from './admin/routes.ts'
import { createStore } from './admin/store.ts'
import type { GatewayTables } from './admin/tables.ts'
import { createTestRoute } from './admin/test-script.ts'
import { createWhole } from './admin/whole.ts'
import { createCalls } from './calls.ts'
import type { GatewayControl } from './control.ts'
import { createDistribution } from './distribution.ts'
import { type LogDirectories, logPathFault } from './loggers/log-file.ts'
import { loadPlugins } from './plugins/load.ts'
import { createPurges } from './purges.ts'
import { createReferences } from './references.ts'
import { describeResources } from './resources/descriptions.ts'
import { createScripts } from './scripts/scripts.ts'

export { GATEWAY_EVENTS } from './admin/aborts.ts'
export { renderAdminError } from './admin/errors.ts'
export { createControl, type GatewayControl } from './control.ts'
export { type Exported, type ExportForm, exportConfiguration } from './exchange/export.ts'
export { resetGatewaySecrets } from './lost-secrets.ts'
export type { ConfigChange } from './protocol.ts'
export { findStoredCertificates } from './stored-certificates.ts'

export interface GatewayDeps {
  readonly db: Database
  readonly box: SecretBox
  /** The master key was changed: what the one before sealed is sealed anew. */
  readonly hasPreviousKey: boolean
  readonly clock: Clock
  readonly log: Log
  readonly revisions: Revisions
  readonly control: GatewayControl
  readonly outbox: Pick<Outbox, 'append'>
  /** Where values stand that the configuration only refers to. */
  readonly references: Omit<Parameters<typeof createReferences>[0], 'log'>
  readonly metricPrefix: string
  readonly upstreamTlsVerify: boolean
  readonly version: string
  readonly nodeId: string
  readonly logDirectories: LogDirectories
  readonly bus: Bus
}

export interface GatewayRoutes {
  readonly admin: HttpPlugin
  readonly control: HttpPlugin
  readonly metrics: HttpPlugin
  /** Whether the request presents the static admin key. */
  isStaticKey(request: FastifyRequest): boolean
}

const FILES_EVERY_MS = 2_000

export async function createGateway(deps: GatewayDeps) {
  const { db, box, clock, log, revisions, control } = deps
  // It only checks them.
  const scripts = createScripts({ log, noteTime() {} })
  const plugins = loadPlugins({
    // What is stored was checked when it was written: a start does not wait for the engine.
    scripts: { findFailure: (source) => (scripts.isOpen() ? scripts.findFailure(source) : null) },
    logPathFault: (path) => logPathFault(path, deps.logDirectories),
  })
  const references = createReferences({ ...deps.references, log })
  const descriptions = references.describe(describeResources(plugins))
  const { resolve } = references
  const distribution = createDistribution({
    ...{ control, descriptions, log, resolve, verifyTls: deps.upstreamTlsVerify },
  })
  const historyStore = createHistoryStore(box)
  const configuration = createConfiguration({
    ...{ db, clock, log, revisions, descriptions },
    store: createStore(box),
    history: historyStore,
    appendEvent: deps.outbox.append,
    publish: distribution.publish,
  })
  const objects = createObjects({ configuration, descriptions })
  const whole = createWhole({ configuration, objects, descriptions })
  const history = createHistory({
    ...{ configuration, descriptions, store: historyStore },
    reader: db.main.reader.$pickTables<keyof GatewayTables>(),
  })
  const aborts = createAborts({ configuration, log })
  control.tellAborts((abort) => void aborts.note(abort))
  const calls = createCalls({ clock, log })
  control.makeCallsWith(calls.call)
  const purges = createPurges({ bus: deps.bus, control })
  const startedAtMs = clock.now()
  let stopClockwork = () => {}
  let lookedAt = 0

  return {
    load,
    start,
    stop,
    routes,
    document: gatewayDocument(descriptions),
    status: control.status,
    totals,
    unhealthyNodes,
    /** Who answers the threads what they cannot know, and how they hear of changes. */
    answerWith: control.answerWith,
    forget: control.forget,
    setLimits: control.setLimits,
  }

  /** What the threads that run now have answered; errors are answers from 500 on. */
  async function totals(): Promise<{ readonly requests: number; readonly errors: number }> {
    return sumAnswers(await control.metrics())
  }

  function unhealthyNodes() {
    return listUnhealthy(distribution.probes.list(), control.memory)
  }

  /** Before the threads start: they listen only with a configuration (contract §10). */
  async function load(): Promise<void> {
    await distribution.load(await configuration.load())
  }

  async function start(): Promise<void> {
    await load()
    stopClockwork = startClockwork({
      clock,
      log,
      duties: [objects.removeOver, history.revert, followFiles, createReseal(deps)],
    })
    await control.start()
  }

  /** Secrets are replaced in their files; nobody edits the configuration for that. */
  async function followFiles(): Promise<void> {
    if (performance.now() - lookedAt < FILES_EVERY_MS) return
    lookedAt = performance.now()
    const isMeant = references.refresh()
    if (isMeant) await configuration.republish(isMeant)
  }

  async function stop(withinMs: number): Promise<void> {
    stopClockwork()
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
      aborts: aborts.list,
      schemas: () =>
        Object.fromEntries([...descriptions].map(([kind, { schema }]) => [kind, schema])),
    }
    return {
      admin: adminRoutes({
        ...{ configuration, objects, whole, history, descriptions, plugins },
        auth: observation.auth,
        testScript: createTestRoute(control),
        openScripts: scripts.open,
        explain: createExplain(control, references.mask),
      }),
      control: controlRoutes(observation),
      metrics: metricsRoutes(observation),
      isStaticKey: observation.auth.isStaticKey,
    }
  }
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>
