import http from 'node:http'
import { describe } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  shareServer,
  startNodes,
  startServer,
  type TestNodes,
  type TestServer,
} from '#test-kit'

/** What the issue wants everything shown on. */
export type InstallationKind = DatabaseKind | 'nodes'

/** Defines the same tests for both databases and for two nodes on PostgreSQL and Redis. */
export function eachInstallation(name: string, define: (kind: InstallationKind) => void): void {
  for (const kind of ['sqlite', 'postgres', 'nodes'] as const) {
    describe(`${name} (${kind})`, () => define(kind))
  }
}

export type AccessServer = ReturnType<typeof accessServer>

/** Tests that share a server with others: they leave its clock and settings as they found them. */
export function accessSuite(name: string, define: (access: AccessServer) => void) {
  return (access: AccessServer) => describe(name, () => define(access))
}

type Node = () => TestServer

/** Tests of two nodes without Redis, which they share with others likewise. */
export function pairSuite(name: string, define: (first: Node, second: Node) => void) {
  return (first: Node, second: Node) => describe(name, () => define(first, second))
}

/**
 * One server for all tests of a `describe`; ready when its tests run. Of two nodes every call meets
 * the other one, after both act by what the call before it has changed: that this takes no longer
 * than a second is shown by tests of its own.
 */
export function accessServer(kind: InstallationKind, extra: Record<string, string> = {}) {
  let settle: TestNodes['settle'] | undefined
  const server = shareServer<TestServer>(async () => {
    const common = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...extra }
    if (kind !== 'nodes') return startServer(await installation(kind, common))
    const nodes = await startNodes(common)
    settle = nodes.settle
    return nodes
  })
  const afterChange = async () => settle?.()
  return { kind, server, afterChange, ...caller(() => server().url, afterChange) }
}

/** Shorthands for calls under `/api/v1` of one server. */
export function caller(url: () => string, afterChange = async () => {}) {
  const { call, data } = createCalls(url, { prefix: '/api/v1', redirect: 'manual', afterChange })
  return { call, data, createUser, createPlan, issueKey }

  function createUser(email: string, more: object = {}) {
    return data('POST', '/users', { body: { email, ...more } })
  }

  function createPlan(more: object = {}) {
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    return data('POST', '/plans', { body: { ...figures, ...more } })
  }

  /** Answers of `POST /keys`, by default of the admin for a fresh unlimited plan. */
  async function issueKey(more: Record<string, unknown> = {}) {
    const plan = more['plan_id'] ?? (await createPlan()).id
    return data('POST', '/keys', { body: { plan_id: plan, ...more } })
  }
}

/** A request whose target is sent exactly as written; `fetch` would tidy it up. */
export function rawCall(
  base: string,
  method: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path: target, headers }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    request.on('error', reject)
    request.end()
  })
}
