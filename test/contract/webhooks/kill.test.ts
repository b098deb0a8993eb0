import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eachDatabase, installation, startNodes, startServer, until } from '#test-kit'
import { startReceiver } from './receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from './support.ts'

const EVENTS = 1_000
const KILLS = 10
const PUBLISHERS = 4
const PATHS = ['/a', '/b', '/c']

const ENV = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ROLES: 'api,worker', ...LOOPBACK }

eachDatabase('deliveries of a killed server', (kind) => {
  test('webhooks 13: ten SIGKILLs with 1,000 events in flight lose nothing', async (t) => {
    const receiver = await startReceiver()
    const server = await startServer(await installation(kind, ENV))
    const { subscribe, publish, deliveries } = caller(() => server.url)
    const ids: string[] = []
    for (const path of PATHS) ids.push((await subscribe(receiver.url + path)).id)
    const published = new Set<string>()
    let down: Promise<void> | null = null

    async function publisher() {
      while (published.size < EVENTS) {
        if (down) await down
        const event = await publish({ n: published.size }).catch(() => undefined)
        if (event) published.add(event.id)
        else await delay(5)
      }
    }
    const load = Array.from({ length: PUBLISHERS }, publisher)
    for (let kill = 1; kill <= KILLS; kill++) {
      const mark = (kill * EVENTS) / (KILLS + 1)
      await until(() => published.size >= mark, { withinMs: 120_000 })
      await server.kill()
      down = server.restart()
      await down
      down = null
    }
    await Promise.all(load)
    for (const [at, path] of PATHS.entries()) {
      const arrived = () => new Set(receiver.on(path).map(({ headers }) => headers['webhook-id']))
      await until(() => [...published].every((id) => arrived().has(id)), {
        withinMs: 120_000,
        what: `every event on ${path}`,
      })
      const id = ids[at] ?? ''
      await until(async () => (await deliveries(id, '?status=pending')).meta.total === 0, {
        withinMs: 60_000,
        what: 'nothing pending',
      })
      const sequences = new Set(receiver.on(path).map(({ body }) => body.sequence))
      assert.equal(Math.max(...sequences), sequences.size, 'numbers have no gaps')
      const all = await deliveries(id, '?is_test=false&per_page=1')
      const done = await deliveries(id, '?is_test=false&status=succeeded&per_page=1')
      assert.equal(done.meta.total, all.meta.total)
      assert.equal(all.meta.total, sequences.size)
      const repeated = receiver.on(path).length - sequences.size
      t.diagnostic(`${path}: ${sequences.size} events, ${repeated} sent twice at the kills`)
    }
  })
})

test('two processes on PostgreSQL share the work and survive the death of one', async (t) => {
  const receiver = await startReceiver()
  const { nodes } = await startNodes(ENV)
  const [first, second] = nodes
  const { subscribe, publish, deliveries } = caller(() => first.url)
  const ids: string[] = []
  const paths = Array.from({ length: 12 }, (_, n) => `/n${n}`)
  for (const path of paths) {
    receiver.answer(path, (_, response) => setTimeout(() => response.end('ok'), 20))
    ids.push((await subscribe(receiver.url + path)).id)
  }
  const published: string[] = []
  const send = async (count: number) => {
    for (let n = 0; n < count; n++) published.push((await publish({ n })).id)
  }
  await send(60)
  const shares = await Promise.all(nodes.map((node) => attemptsOf(node.url)))
  t.diagnostic(`attempts of the two: ${shares.join(' and ')}`)
  assert.ok(
    shares.every((share) => share > 0),
    'both work',
  )
  await second.kill()
  await send(60)
  for (const [at, path] of paths.entries()) {
    await until(() => new Set(receiver.on(path).map(({ body }) => body.sequence)).size === 120, {
      withinMs: 90_000,
      what: `all events on ${path}`,
    })
    await until(async () => (await deliveries(ids[at] ?? '', '?status=pending')).meta.total === 0)
  }
  const twice = paths.reduce((sum, path) => sum + receiver.on(path).length - 120, 0)
  assert.ok(twice <= 12 * 8, `${twice} sent twice`)
})

async function attemptsOf(url: string): Promise<number> {
  return until(async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const found = /^webhooks_attempts_total\{result="success"\} (\d+)/m.exec(text)
    return found ? Number(found[1]) : undefined
  })
}
