import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, assertPrompt, type TestServer, until } from '#test-kit'
import { ask, showKilledUsage } from '../access/killed.ts'
import { caller, type InstallationKind } from '../access/support.ts'
import { administration, startUpstream } from './support.ts'

const REQUESTS = 1_000
const KILLED_REQUESTS = 2_000
const CONNECTIONS = 8

interface UsageRecord {
  readonly request_id: string
  readonly status_code: number
  readonly response_ms: number
  readonly cost: number
  readonly endpoint: string
}

type Nodes = () => readonly [TestServer, TestServer]

/** Of a single server, which is then both nodes, or of two. */
export function usageOfRoutes(kind: InstallationKind, nodes: Nodes): void {
  describe('usage of routes that are sold', () => defineUsage(kind, nodes))
}

function defineUsage(kind: InstallationKind, nodes: Nodes) {
  let first: TestServer
  let other: TestServer
  before(async () => {
    ;[first, other] = nodes()
    await sellEverywhere()
  })

  /** Answers with the status and after the time that its path says; for all nodes. */
  async function sellEverywhere() {
    const upstream = await startUpstream((request, response) => {
      request.resume()
      const [, status, waitMs] = (request.url ?? '').split('/').slice(1)
      const answer = () => response.writeHead(Number(status)).end(`answer ${status}`)
      if (waitMs) setTimeout(answer, Number(waitMs))
      else answer()
    })
    const { put } = administration(() => first.url)
    await put('/routes/sold', {
      uri: '/sold/*',
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'plan-access': {} },
    })
    await until(async () => {
      await (await fetch(soldAt(other), { headers: { 'x-api-key': ADMIN_KEY } })).text()
      return upstream.seen.length > 0
    })
  }

  test('gateway 32: 1,000 requests make exactly 1,000 records with their statuses and times', async () => {
    const server = first
    const { issueKey } = caller(() => server.url)
    const { id, key } = await issueKey()
    const kinds = ['200', '200/30', '404', '500']
    const sent = new Map<string, string>()
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, place) => {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
        for (let n = place; n < REQUESTS; n += CONNECTIONS) {
          const how = kinds[n % kinds.length] ?? ''
          const requestId = randomUUID()
          sent.set(requestId, how)
          const url = `${server.gatewayUrl}/sold/${how}`
          const { status } = await ask(url, key, requestId, agent)
          assert.equal(status, Number(how.slice(0, 3)))
        }
        agent.destroy()
      }),
    )
    const records = await recordsOf(server, id, REQUESTS)
    assert.equal(records.length, REQUESTS)
    for (const record of records) {
      const how = sent.get(record.request_id) ?? ''
      sent.delete(record.request_id)
      assert.equal(record.status_code, Number(how.slice(0, 3)))
      assert.equal(record.endpoint, '/sold/*')
      assert.ok(how !== '200/30' || record.response_ms >= 29, `${record.response_ms} ms`)
    }
    assert.equal(sent.size, 0, 'each request has its own record')
  })

  test('gateway 31: limits are exact over all threads and nodes', async () => {
    const { createPlan, issueKey } = caller(() => first.url)
    const plan = await createPlan({ requests_per_month: 30 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    const headers = { 'x-api-key': key }
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => fetch(soldAt(n % 2 === 0 ? first : other), { headers })),
    )
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 30)
    assert.equal(statuses.filter((status) => status === 429).length, 30)
    assert.equal((await recordsOf(first, id, 60)).length, 60)
  })

  test('gateway 32: a revocation acts at once where it is made and within a second elsewhere', async () => {
    const { issueKey } = caller(() => first.url)
    for (let n = 0; n < 3; n++) {
      const { id, key } = await issueKey()
      const headers = { 'x-api-key': key, connection: 'close' }
      // Every thread of every node knows the key.
      await Promise.all(
        Array.from({ length: 40 }, async (_, at) => {
          const { status } = await fetch(soldAt(at % 2 === 0 ? first : other), { headers })
          assert.equal(status, 200)
        }),
      )
      const revoke = { method: 'POST', headers: { 'x-api-key': ADMIN_KEY } }
      assert.equal((await fetch(`${first.url}/api/v1/keys/${id}/revoke`, revoke)).status, 200)
      const revokedAt = performance.now()
      const here = await Promise.all(
        Array.from({ length: 12 }, () => fetch(soldAt(first), { headers })),
      )
      assert.ok(here.every(({ status }) => status === 403))
      await until(async () => (await fetch(soldAt(other), { headers })).status === 403)
      assertPrompt(performance.now() - revokedAt, 1_000)
    }
  })

  // Each node stops by itself: that others go on changes nothing.
  const onOneNode = kind === 'nodes' ? () => {} : test
  onOneNode('gateway 34: SIGTERM under load loses no answer and no usage', async () => {
    const server = first
    const { issueKey } = caller(() => server.url)
    const { id, key } = await issueKey()
    const answered = new Set<string>()
    const failures: number[] = []
    const load = Array.from({ length: 16 }, async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      for (let isOpen = true; isOpen; ) {
        const requestId = randomUUID()
        const answer = await ask(soldAt(server), key, requestId, agent)
        if (answer.status === 200) answered.add(requestId)
        else failures.push(answer.status)
        isOpen = answer.status === 200 && !answer.isClosing
      }
      agent.destroy()
    })
    await until(() => answered.size > 200)
    server.signal('SIGTERM')
    await Promise.all(load)
    assert.equal(await server.exited(), 0)
    assert.deepEqual(failures, [])
    const left = readdirSync(join(server.dataDir, 'journal')).filter(
      (file) => !file.endsWith('.lock'),
    )
    assert.deepEqual(left, [], 'all of the journal is in the database')
    await server.restart()
    const records = await recordsOf(server, id, answered.size)
    const recorded = new Set(records.map((record) => record.request_id))
    assert.deepEqual(
      [...answered].filter((requestId) => !recorded.has(requestId)),
      [],
    )
    assert.equal(records.length, recorded.size)
  })

  test('gateway 32: after SIGKILLs every answer received has one record', async (t) => {
    const key = await caller(() => first.url).issueKey()
    await showKilledUsage(t, {
      nodes: [first, other],
      key,
      requests: KILLED_REQUESTS,
      urlOf: soldAt,
      recordsOf: (count) => recordsOf(first, key.id, count),
    })
  })
}

const soldAt = (server: TestServer) => `${server.gatewayUrl}/sold/200`

/** All of a key, once there are so many. */
export async function recordsOf(
  server: TestServer,
  id: number,
  count: number,
): Promise<UsageRecord[]> {
  const { call } = caller(() => server.url)
  return until(
    async () => {
      const all: UsageRecord[] = []
      let path = `/usage/records?key_id=${id}&limit=1000`
      for (;;) {
        const { body } = await call('GET', path)
        all.push(...body.data)
        if (!body.meta.has_more) break
        path = `/usage/records?key_id=${id}&limit=1000&after_id=${body.meta.next_after_id}`
      }
      if (all.length >= count) return all
      await delay(200)
      return undefined
    },
    { what: `${count} records` },
  )
}
