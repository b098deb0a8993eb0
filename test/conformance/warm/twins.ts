import { cpSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  startServer,
  type TestServer,
} from '#test-kit'
import { COMPONENTS, ENTRIES, TYPES } from './model.ts'

/** Two servers that have the same stored; nobody has asked the second anything. */
export interface Twins {
  readonly warm: TestServer
  readonly cold: TestServer
}

/** On PostgreSQL they share the database; SQLite has one process each, so the second has a copy. */
export async function startTwins(kind: DatabaseKind): Promise<Twins> {
  const common = { ENTREPOT_MASTER_KEY: 'a'.repeat(64), ENTREPOT_ADMIN_KEY: ADMIN_KEY }
  const first = await installation(kind, common)
  const own = await installation('sqlite', common)
  const warm = await startServer(first)
  await fill(warm)
  if (kind === 'postgres') {
    const url = first['ENTREPOT_DATABASE_URL'] ?? ''
    return { warm, cold: await startServer({ ...own, ENTREPOT_DATABASE_URL: url }) }
  }
  warm.signal('SIGTERM')
  await warm.exited()
  cpSync(warm.dataDir, own['ENTREPOT_DATA_DIR'] ?? '', { recursive: true })
  const [cold] = await Promise.all([startServer(own), warm.restart()])
  return { warm, cold }
}

export async function fill(server: TestServer): Promise<void> {
  const { ok } = createCalls(() => server.url)
  await ok('POST', '/api/v1/locales', { body: { code: 'de', name: 'Deutsch' } })
  const body = { contentTypes: TYPES, components: COMPONENTS }
  await ok('POST', '/api/v1/content-types/batch', { body })
  for (const [plural, entry] of ENTRIES) await ok('POST', `/api/v1/${plural}`, { body: entry })
}

export interface Told {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Headers = Readonly<Record<string, string>>

/** These belong to one exchange. */
const OF_EXCHANGE = ['date', 'x-request-id', 'connection', 'keep-alive']

/** Asks as both are asked: under one name, whatever their ports are. */
export function createAsking(server: TestServer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const { port } = new URL(server.url)
  return { ask, close: () => agent.destroy() }

  function ask(path: string, headers: Headers = {}, method = 'GET'): Promise<Told> {
    return new Promise((resolve, reject) => {
      const asked = { host: 'shop.example.org', 'accept-encoding': 'identity', ...headers }
      const to = { host: '127.0.0.1', port, path, agent, method, headers: asked }
      const sent = request(to, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const shown = { ...answer.headers }
          for (const name of OF_EXCHANGE) delete shown[name]
          const body = Buffer.concat(chunks).toString('latin1')
          resolve({ status: answer.statusCode ?? 0, headers: shown, body })
        })
      })
      sent.on('error', reject)
      sent.end()
    })
  }
}
