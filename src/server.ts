/** One process: its roles, ports and orderly end. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { issueAdminKey as createAdminKey, setPassword as savePassword } from '#access'
import { type Config, environmentOf } from '#config'
import { ownerIdOf } from '#counters'
import { createOutbox } from '#events'
import { createControl, createGateway } from '#gateway'
import type { HttpApp } from '#http'
import { drainServer } from '#http-text'
import { createLoop } from '#jobs'
import { REOPEN_LOG, random, readKeyPair, rotateLog } from '#kernel'
import { hasLiveRuns, WORK_TOPIC } from '#scrapers'
import { settleThread, supervise } from '#threads'
import { followApiCertificate, readApiCertificate } from './api-certificate.ts'
import { createApp } from './app.ts'
import { CONSOLE_PATH } from './landing-page.ts'
import { openForCommand, type Platform, startPlatform, version } from './platform.ts'
import {
  apiUrlOf,
  explainPort,
  freePort,
  gatewayPortsOf,
  portOf,
  portsOf,
  refuseTaken,
  urlOf,
} from './ports.ts'
import { listenPrivately, privateSocketPath } from './private-socket.ts'

export { backup, cancelMoving, moveTo, restore } from './backups.ts'
export { examine } from './examine.ts'
export { exportGateway } from './export-gateway.ts'
export { resetSecrets } from './reset-secrets.ts'

export interface RunningServer {
  readonly apiUrl: string
  readonly gatewayUrl: string | null
  /** Pages for people, by name. */
  readonly pages: readonly (readonly [string, string])[]
  readonly platform: Platform
  /** Finishes what is under way, then ends everything; repeated calls wait for the first. */
  stop(): Promise<void>
}

interface StartDeps {
  onGiveUp(name: string, error: Error): void
  print(text: string): void
}

const ROTATE_EVERY_MS = 60_000
/** After the drain a thread has to end by itself within this. */
const THREAD_END_MS = 5_000
const FAILED_START_END_MS = 10_000
/** A lost notice of a run that waits costs no more than this. */
const LOOK_FOR_RUNS_MS = 5_000
const SECRET_LENGTH = 48

/** Starts all roles of the configuration; when one fails, what was started is stopped again. */
export async function startServer(
  config: Config,
  { onGiveUp, print }: StartDeps,
): Promise<RunningServer> {
  const stops: (() => unknown)[] = []
  let stoppingGateway: Promise<void> | undefined
  let closePrivately = async () => {}
  const stopAll = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    for (const port of portsOf(config)) await refuseTaken(port)
    readApiCertificate(config)
    const platform = await startPlatform(config, { onGiveUp })
    stops.push(platform.stop)
    answerTests(config, platform)
    stops.push(rotateLogs(platform))

    const { gateway, gatewayUrl, api } = await openGateway(config, platform)
    stops.push(() => stopGateway())
    const worker = config.roles.includes('worker') ? openWorker(platform) : null
    if (worker) stops.push(() => worker.stop(THREAD_END_MS))
    const crawler = config.roles.includes('worker') ? openCrawler(platform) : null
    if (crawler) stops.push(crawler.stop)
    // The threads load their code while this one builds the API.
    const [http] = await allOrFirstError([
      openApi(),
      explainPort(gateway.start(), gatewayPortsOf(config.gateway)),
      worker?.start(),
    ] as const)
    await explainPort(http.listen({ host: config.host, port: config.port }), portsOf(config))
    if (api.socketPath !== null) closePrivately = await listenPrivately(http, api.socketPath)
    stops.push(followApiCertificate(config, http, platform.log))
    const apiUrl = apiUrlOf(config, portOf(http.server))
    let stopping: Promise<void> | undefined
    const stop = () => {
      stopping ??= stopAll()
      return stopping
    }
    return { apiUrl, gatewayUrl, pages: pagesOf(http, apiUrl), platform, stop }

    async function openApi() {
      const { secrets } = api
      const app = await createApp({ config, platform, gateway, gatewayUrl, secrets, print })
      const drain = drainServer(app.http.server)
      stops.push(async () => {
        app.endStreams()
        // The gateway ends before the API it may forward to, and before its usage is stored.
        await Promise.all([drain(drainMs(config)), stopGateway()])
        await closePrivately()
        await app.close()
      })
      return app.http
    }

    function stopGateway(): Promise<void> {
      stoppingGateway ??= gateway.stop(config.gateway.drainSeconds * 1000 + THREAD_END_MS)
      return stoppingGateway
    }
  } catch (error) {
    // Why it failed must be told even when something that was started does not end.
    await atMost(FAILED_START_END_MS, stopAll())
    throw error
  }
}

/** Without the role there are no threads, only the administration of what other nodes serve. */
async function openGateway(config: Config, platform: Platform) {
  const { host, threads } = config.gateway
  const { redisUrl, redisPrefix, databaseUrl } = config
  const isServed = config.roles.includes('gateway')
  const port = config.gateway.port === 0 ? await freePort(host) : config.gateway.port
  const perSystem = process.platform === 'linux' ? threads : 1
  const api = await openApiAddress(config, platform)
  const logDirectories = [
    join(config.dataDir, 'logs', 'gateway'),
    ...config.gateway.logDirs,
  ] as const
  const control = createControl({
    threads: isServed ? perSystem : 0,
    failures: platform.failures,
    log: platform.log,
    connectBus: platform.bus.connect,
    data: {
      host,
      port,
      tlsPort: config.gateway.tlsPort ?? null,
      defaultCertificate: config.gateway.defaultCertificate
        ? readKeyPair('gateway.default_certificate', config.gateway.defaultCertificate)
        : null,
      drainMs: config.gateway.drainSeconds * 1000,
      maxBody: config.gateway.maxBody,
      trustedProxies: config.gateway.trustedProxies,
      proxyProtocol: config.gateway.proxyProtocol,
      h2c: config.gateway.h2c,
      upstreamTlsVerify: config.gateway.upstreamTlsVerify,
      logDirectories,
      log: { ...config.log, dataDir: config.dataDir },
      clock: platform.clock.shared,
      underTest: config.env === 'test',
      counters: {
        shared: platform.localCounters.shared,
        redis: redisUrl === undefined ? null : { url: redisUrl, prefix: redisPrefix },
        databaseUrl: databaseUrl ?? null,
        timeoutMs: config.counters.storeTimeoutMs,
      },
      journal: platform.journal.address,
      limits: platform.settings.get('limits'),
      api: api.address,
      sessionKey: platform.box.derive('gateway sessions'),
      cacheBytes: Math.floor(config.gateway.cacheBytes / perSystem),
    },
    onThreadEnd: (threadId) => platform.localCounters.releaseOwner(ownerIdOf(threadId)),
  })
  platform.settings.onChange('limits', () => control.setLimits(platform.settings.get('limits')))
  const { database: db, box, clock, log, revisions, nodeId, bus } = platform
  const { metricPrefix, upstreamTlsVerify } = config.gateway
  const outbox = createOutbox({ ids: platform.ids, clock, bus: platform.bus })
  const gateway = await createGateway({
    outbox,
    hasPreviousKey: config.masterKeyPrevious !== undefined,
    references: { secretsDir: config.secretsDir, environment: environmentOf },
    logDirectories,
    ...{ db, box, clock, log, revisions, control, metricPrefix, version, nodeId, bus },
    upstreamTlsVerify,
  })
  return { gateway, gatewayUrl: isServed ? urlOf(host, port) : null, api }
}

/** How the gateway reaches the main API, and whom that believes (gateway contract §3.1). */
async function openApiAddress(
  { roles, dataDir, apiUrl: url, apiSecret }: Config,
  { nodeId }: Platform,
) {
  const known = apiSecret === undefined ? [] : [apiSecret]
  if (roles.includes('api') && roles.includes('gateway')) {
    const secret = random.text(SECRET_LENGTH)
    const socketPath = await privateSocketPath(dataDir, nodeId)
    return { address: { socketPath, secret }, socketPath, secrets: [secret, ...known] }
  }
  const isRemote = url !== undefined && apiSecret !== undefined
  const address = isRemote ? { url, secret: apiSecret } : null
  return { address, socketPath: null, secrets: roles.includes('api') ? known : [] }
}

function openWorker(platform: Platform) {
  return supervise(
    {
      name: 'worker',
      entry: new URL(import.meta.resolve('#worker-thread')),
      data: () => {
        const { address, transfer } = platform.address()
        return { workerData: address, transfer }
      },
      onMessage: () => {},
    },
    platform,
  )
}

/** Started when there is something to crawl: most processes never need the thread. */
function openCrawler(platform: Platform) {
  const { database, bus, log } = platform
  const thread = supervise(
    {
      name: 'crawler',
      entry: new URL(import.meta.resolve('#crawler-thread')),
      data: () => {
        const { address, transfer } = platform.address()
        return { workerData: address, transfer }
      },
      onMessage: () => {},
    },
    platform,
  )
  let started: Promise<unknown> | undefined
  const loop = createLoop({
    ...{ name: 'crawler', everyMs: LOOK_FOR_RUNS_MS, log, random },
    wake: (wake) => bus.subscribe(WORK_TOPIC, wake),
    async run() {
      if (!started && (await hasLiveRuns(database))) started = thread.start()
      await started
    },
  })
  return { stop }

  async function stop() {
    await loop.stop()
    if (started) await thread.stop(THREAD_END_MS)
  }
}

/** Waits for all of them also when one fails, so that nothing starts behind the back of the stop. */
async function allOrFirstError<const T extends readonly unknown[]>(works: T) {
  const results = await Promise.allSettled(works)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return Promise.all(works)
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController()
  const finished = work.catch(() => {}).finally(() => done.abort())
  const late = delay(ms, undefined, { signal: done.signal }).catch(() => {})
  await Promise.race([finished, late])
}

function drainMs(config: Config): number {
  return config.drainSeconds * 1000
}

interface TestQuestion {
  readonly id?: unknown
  readonly clockOffsetMs?: unknown
  readonly topics?: unknown
}

/** Tests move time for all threads at once, and ask what has arrived here; nobody else can. */
function answerTests(config: Config, { clock, revisions }: Platform) {
  if (config.env !== 'test' || !process.send) return
  process.on('message', ({ id, clockOffsetMs, topics }: TestQuestion) => {
    if (typeof clockOffsetMs === 'number') clock.setOffset(clockOffsetMs)
    const asked = Array.isArray(topics) ? topics.map(String) : []
    process.send?.({ id, revisions: asked.map((topic) => revisions.finished(topic)) })
  })
  // Listening must not keep the process from ending.
  process.channel?.unref()
}

function rotateLogs({ logFile, bus, reopenLog }: Platform): () => void {
  const unsubscribe = bus.subscribe(REOPEN_LOG, reopenLog)
  const timer = setInterval(() => {
    if (logFile && rotateLog(logFile)) void bus.publish(REOPEN_LOG, null)
  }, ROTATE_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

/** Only what this process really serves is named to the operator. */
function pagesOf(http: HttpApp, apiUrl: string) {
  const pages = [
    ['Console', CONSOLE_PATH],
    ['Docs', '/docs'],
    ['Usage', '/usage'],
  ] as const
  return pages
    .filter(([, url]) => http.hasRoute({ method: 'GET', url }))
    .map(([name, url]) => [name, `${apiUrl}${url}`] as const)
}

/** Runs until a signal ends it; returns the exit code. */
export async function runServer(config: Config, print: (text: string) => void): Promise<number> {
  const startedAtMs = performance.now()
  const ended = Promise.withResolvers<number>()
  const onGiveUp = (name: string, error: Error) => {
    print(`The thread ${name} keeps failing: ${error.message}. Ending; see the log.`)
    ended.resolve(1)
  }
  const server = await startServer(config, { onGiveUp, print })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A second signal while draining ends at once, for people who do not want to wait.
      process.once(signal, () => process.exit(1))
      ended.resolve(0)
    })
  }
  // Whoever reads that it is ready may end it at once.
  print(banner(config, server, performance.now() - startedAtMs))
  settleThread()
  const code = await ended.promise
  if (code === 0) print('Stopping; open requests are finished first ...')
  await server.stop()
  return code
}

function banner(config: Config, server: RunningServer, tookMs: number) {
  const { apiUrl, gatewayUrl, pages, platform } = server
  const store = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
  const { threads, tlsPort } = config.gateway
  const rows = [
    ['API', apiUrl],
    ...pages,
    ['Gateway', gatewayUrl && `${gatewayUrl} (${threads} ${threads === 1 ? 'thread' : 'threads'})`],
    ['TLS', gatewayUrl && tlsPort ? `https://${hostIn(gatewayUrl)}:${tlsPort}` : null],
    ['Data', `${config.dataDir} (${store})`],
    ['Log', platform.logFile],
  ]
  const lines = rows.flatMap(([name, value]) => (value ? [`  ${name?.padEnd(9)} ${value}`] : []))
  return [
    `Entrepot ${version}, ${config.env}, ready in ${(tookMs / 1000).toFixed(1)} s`,
    '',
    ...lines,
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}

function hostIn(url: string): string {
  return new URL(url).hostname
}

/** Brings the schema up to date without starting any role. */
export async function migrateOnly(config: Config): Promise<readonly string[]> {
  const platform = await startPlatform(config, { onGiveUp: () => {} })
  await platform.stop()
  return platform.migrated
}

/** Makes a key for an admin who has lost every other one; also while a server is running. */
export async function issueAdminKey(
  config: Config,
  { name }: { readonly name: string | undefined },
): Promise<string> {
  const { database: db, stop, ...platform } = await openForCommand(config)
  try {
    const { appendAll: appendEvents } = createOutbox(platform)
    const { email } = config.admin
    return await createAdminKey({ db, random, appendEvents, ...platform }, { email, name })
  } finally {
    await stop()
  }
}

/** Sets the password of a user and returns it; also while a server is running. */
export async function setPassword(
  config: Config,
  options: { readonly email: string; readonly password: string | undefined },
): Promise<string> {
  const { database: db, stop, ...platform } = await openForCommand(config)
  try {
    const { appendAll: appendEvents } = createOutbox(platform)
    return await savePassword({ db, random, appendEvents, ...platform }, options)
  } finally {
    await stop()
  }
}
