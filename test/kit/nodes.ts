import { after } from 'node:test'
import pg from 'pg'
import { testRedis } from './databases.ts'
import { installation, startServer, type TestServer } from './server.ts'
import { until } from './wait.ts'

/** Two nodes that look like one server: `url` is now the one, now the other. */
export interface TestNodes extends TestServer {
  readonly nodes: readonly [TestServer, TestServer]
  /** Resolves when both act by every change that is committed. */
  settle(): Promise<void>
}

/** Two processes on one PostgreSQL, ended with the test file. */
export async function startPair(
  extra: Record<string, string> = {},
): Promise<[TestServer, TestServer]> {
  const common = { ENTREPOT_MASTER_KEY: 'a'.repeat(64), ...extra }
  const first = await installation('postgres', common)
  const database = { ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '' }
  const second = { ...(await installation('sqlite', common)), ...database }
  return Promise.all([startServer(first), startServer(second)])
}

/** Two processes on one PostgreSQL and one Redis, ended with the test file. */
export async function startNodes(extra: Record<string, string> = {}): Promise<TestNodes> {
  const { url, prefix } = testRedis()
  const redis = { ENTREPOT_REDIS_URL: url, ENTREPOT_REDIS_PREFIX: prefix }
  const nodes = await startPair({ ...redis, ...extra })
  const client = new pg.Client({ connectionString: nodes[0].env['ENTREPOT_DATABASE_URL'] })
  await client.connect()
  after(() => client.end())
  return together(nodes, () => committed(client))
}

interface Revision {
  readonly topic: string
  readonly revision: number
}

function together(
  nodes: [TestServer, TestServer],
  revisions: () => Promise<Revision[]>,
): TestNodes {
  const [first] = nodes
  let turn = 0
  const each = async (work: (node: TestServer) => Promise<unknown>) => {
    await Promise.all(nodes.map(work))
  }
  return {
    ...first,
    nodes,
    get url() {
      return nodes[turn++ % 2 === 0 ? 0 : 1].url
    },
    output: () => nodes.map((node) => node.output()).join(''),
    log: () => nodes.map((node) => node.log()).join(''),
    setClockOffset: (ms) => each((node) => node.setClockOffset(ms)),
    signal: (name) => {
      for (const node of nodes) node.signal(name)
    },
    kill: () => each((node) => node.kill()),
    restart: () => each((node) => node.restart()),
    settle,
  }

  async function settle() {
    const wanted = await revisions()
    const topics = wanted.map(({ topic }) => topic)
    await until(async () => {
      const seen = await Promise.all(nodes.map((node) => node.revisionsOf(topics)))
      return seen.every((own) => wanted.every(({ revision }, at) => (own[at] ?? 0) >= revision))
    })
  }
}

async function committed(client: pg.Client): Promise<Revision[]> {
  const { rows } = await client.query('select topic, revision::int from kernel_revisions')
  return rows
}
