import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type TestServer, until } from '#test-kit'
import { caller } from './support.ts'

const CONNECTIONS = 8
const DRAINED_WITHIN_MS = 15_000

interface Killed {
  /** A single server is both. */
  readonly nodes: readonly [TestServer, TestServer]
  readonly key: { readonly id: number; readonly key: string }
  readonly requests: number
  urlOf(server: TestServer): string
  /** All of the key, once there are at least so many. */
  recordsOf(count: number): Promise<readonly { request_id: string; cost: number }[]>
}

/** Asks until so many answers are there, kills each node on the way, and compares with the records. */
export async function showKilledUsage(t: TestContext, killed: Killed): Promise<void> {
  const { nodes, key, requests, urlOf, recordsOf } = killed
  const answered = new Set<string>()
  const down = new Map<TestServer, Promise<void>>()
  let lost = 0

  const load = Array.from({ length: CONNECTIONS }, connection)
  for (const [times, server] of nodes.entries()) {
    const mark = ((times + 1) * requests) / 3
    await until(() => answered.size > mark, { withinMs: 60_000 })
    await server.kill()
    down.set(server, server.restart())
    await down.get(server)
  }
  await Promise.all(load)

  let records = await recordsOf(answered.size)
  // Records of answers that were lost count too, so the last ones may still be in the journal.
  const untilMs = performance.now() + DRAINED_WITHIN_MS
  while (wrongIn(records).length > 0 && performance.now() < untilMs) {
    records = await recordsOf(answered.size)
  }
  assert.deepEqual(wrongIn(records), [])
  const surplus = records.length - answered.size
  assert.ok(surplus >= 0 && surplus <= 2 * CONNECTIONS, `${surplus} surplus records`)
  const cost = records.reduce((sum, record) => sum + record.cost, 0)
  const { data } = caller(() => nodes[0].url)
  const invoice = await data('GET', `/usage/invoice?key_id=${key.id}`)
  assert.equal(invoice.requests, cost)
  // A store that outlives the node has counted what was under way, as it may have left a record.
  const { month } = await data('GET', `/usage?key_id=${key.id}`)
  assert.ok(month >= cost && month <= cost + 2 * CONNECTIONS, `${month} counted, ${cost} recorded`)
  t.diagnostic(`${answered.size} answers, ${lost} lost at the kills, ${surplus} surplus records`)

  /** Answers that do not have exactly one record. */
  function wrongIn(found: readonly { request_id: string }[]): string[] {
    const counts = Map.groupBy(found, (record) => record.request_id)
    return [...answered].filter((requestId) => counts.get(requestId)?.length !== 1)
  }

  async function connection(_: unknown, place: number) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const server = place % 2 === 0 ? nodes[0] : nodes[1]
    while (answered.size < requests) {
      await down.get(server)
      const requestId = randomUUID()
      const { status } = await ask(urlOf(server), key.key, requestId, agent)
      if (status === 200) answered.add(requestId)
      else {
        lost++
        await delay(5)
      }
    }
    agent.destroy()
  }
}

/** The status once the whole answer has arrived; 0 when it was lost. */
export function ask(url: string, key: string, requestId: string, agent: http.Agent) {
  return new Promise<{ status: number; isClosing: boolean }>((resolve) => {
    const lost = () => resolve({ status: 0, isClosing: true })
    const headers = { 'x-api-key': key, 'x-request-id': requestId }
    const request = http.get(url, { agent, headers }, (response) => {
      response.resume()
      response.on('error', lost)
      response.on('end', () => {
        if (!response.complete) return lost()
        const isClosing = response.headers.connection === 'close'
        resolve({ status: response.statusCode ?? 0, isClosing })
      })
    })
    request.on('error', lost)
  })
}
