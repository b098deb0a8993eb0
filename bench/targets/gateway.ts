// The gateway's own threads with a plain route, without the rest of the product around them.
import { join } from 'node:path'
import { createLocalBus } from '#bus'
import { createSharedCounters } from '#counters'
import { createControl } from '#gateway'
import { openJournal } from '#journal'
import { createClock, random } from '#kernel'
import { createFailures } from '#threads'

const [, , port, origin = '', threads = '1', routes = '10', dataDir = '', script = ''] =
  process.argv
const { hostname, port: backend } = new URL(origin)
const clock = createClock()
const log = { debug() {}, info() {}, warn: console.error, error: console.error }
const control = createControl({
  threads: Number(threads),
  failures: createFailures({ clock, log, onGiveUp: () => process.exit(1) }),
  log,
  connectBus: createLocalBus({ log }).connect,
  data: {
    host: '127.0.0.1',
    port: Number(port),
    tlsPort: null,
    defaultCertificate: null,
    drainMs: 1_000,
    maxBody: 0,
    sessionKey: new Uint8Array(32),
    cacheBytes: 2 ** 20,
    trustedProxies: [],
    proxyProtocol: [],
    h2c: true,
    upstreamTlsVerify: true,
    logDirectories: [join(dataDir, 'logs', 'gateway')],
    underTest: false,
    clock: clock.shared,
    log: { to: 'file', level: 'info', dataDir },
    counters: {
      shared: createSharedCounters({ clock, capacity: 1_024, ownerId: 1 }).shared,
      redis: null,
      databaseUrl: null,
      timeoutMs: 100,
    },
    journal: openJournal({
      directory: join(dataDir, 'journal'),
      clock,
      random,
      maxTotalBytes: 2 ** 30,
    }).address,
    limits: {
      anonymousPerMinute: 0,
      anonymousWritesPerMinute: 0,
      ietfHeaders: true,
      onStoreFailure: 'local',
    },
    api: null,
  },
})
const slots = { '': { cursor: 0, nodes: {} } }
const nodes = { [`${hostname}:${backend}`]: 1 }
control.load([
  {
    put: {
      kind: 'upstreams',
      id: '1',
      value: { nodes },
      createdIndex: 1,
      modifiedIndex: 1,
      slots,
    },
  },
  ...Array.from({ length: Number(routes) - 1 }, (_, n) => route(String(n), `/service-${n}/*`)),
  route(
    'plain',
    '/*',
    script === '' ? {} : { plugins: { 'serverless-pre-function': { functions: [script] } } },
  ),
])
await control.start()

function route(id: string, uri: string, more: object = {}) {
  const value = { uri, upstream_id: '1', ...more }
  return {
    put: { kind: 'routes' as const, id, value, createdIndex: 1, modifiedIndex: 1, slots: {} },
  }
}
