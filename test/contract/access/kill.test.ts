import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, installation, startNodes, startServer, type TestServer, until } from '#test-kit'
import { caller, eachInstallation, type InstallationKind } from './support.ts'

const REQUESTS = 5_000
const CONNECTIONS = 8

eachInstallation('usage of a killed server', (kind) => {
  test('access 16: 5,000 requests and two SIGKILLs leave one record for every answer', async (t) => {
    const [first, other = first] = await start(kind)
    const { call, issueKey } = caller(() => first.url)
    const { id, key } = await issueKey()
    const answered = new Set<string>()
    const down = new Map<TestServer, Promise<void>>()
    let lost = 0

    async function connection(_: unknown, place: number) {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      const server = place % 2 === 0 ? first : other
      while (answered.size < REQUESTS) {
        await down.get(server)
        const requestId = randomUUID()
        if (await ask(`${server.url}/api/v1/plans`, key, requestId, agent)) answered.add(requestId)
        else {
          lost++
          await delay(5)
        }
      }
      agent.destroy()
    }
    const load = Array.from({ length: CONNECTIONS }, connection)
    for (const [times, server] of [first, other].entries()) {
      const mark = ((times + 1) * REQUESTS) / 3
      await until(() => answered.size > mark, { withinMs: 60_000 })
      await server.kill()
      down.set(server, server.restart())
      await down.get(server)
    }
    await Promise.all(load)

    // A drained journal shows in the figures: they stop growing when all is there.
    const records = await until(
      async () => {
        const { body } = await call('GET', `/usage?key_id=${id}`)
        return body.data.month >= answered.size ? allRecords() : undefined
      },
      { withinMs: 30_000 },
    )
    const counts = Map.groupBy(records, (record) => record.request_id)
    const wrong = [...answered].filter((requestId) => counts.get(requestId)?.length !== 1)
    assert.deepEqual(wrong, [])
    const surplus = records.length - answered.size
    assert.ok(surplus >= 0 && surplus <= 2 * CONNECTIONS, `${surplus} surplus records`)
    const cost = records.reduce((sum, record) => sum + record.cost, 0)
    const { body } = await call('GET', `/usage?key_id=${id}`)
    assert.equal(body.data.month, cost)
    t.diagnostic(`${answered.size} answers, ${lost} lost at the kills, ${surplus} surplus records`)

    async function allRecords() {
      const all: { request_id: string; cost: number }[] = []
      let path = `/usage/records?key_id=${id}&limit=1000`
      for (;;) {
        const { body } = await call('GET', path)
        all.push(...body.data)
        if (!body.meta.has_more) return all
        path = `/usage/records?key_id=${id}&limit=1000&after_id=${body.meta.next_after_id}`
      }
    }
  })
})

async function start(kind: InstallationKind): Promise<[TestServer, TestServer?]> {
  const common = { ENTREPOT_ADMIN_KEY: ADMIN_KEY }
  if (kind === 'nodes') return [...(await startNodes(common)).nodes]
  return [await startServer(await installation(kind, common))]
}

/** True when the whole answer arrived. */
function ask(url: string, key: string, requestId: string, agent: http.Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': key, 'x-request-id': requestId }
    const request = http.get(url, { agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.complete && response.statusCode === 200))
      response.on('error', () => resolve(false))
    })
    request.on('error', () => resolve(false))
  })
}
