import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNodes, until } from '#test-kit'
import { startReceiver } from './receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from './support.ts'

const ENV = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_ROLES: 'api,worker',
  ENTREPOT_WEBHOOKS_WORKERS: '2',
  ...LOOPBACK,
}

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
  const shares = await until(
    async () => {
      const both = await Promise.all(nodes.map((node) => attemptsOf(node.url)))
      if (both.every((share) => share > 60)) return both
      // One may be done with nearly all before the other has begun: there is always more.
      await send(1)
      return false
    },
    { what: 'work of both' },
  )
  t.diagnostic(`attempts of the two: ${shares.join(' and ')}`)
  await second.kill()
  // What the dead one held is free when its lease ends.
  await first.setClockOffset(31_000)
  await send(60)
  for (const [at, path] of paths.entries()) {
    await until(
      () => new Set(receiver.on(path).map(({ body }) => body.sequence)).size === published.length,
      {
        withinMs: 90_000,
        what: `all events on ${path}`,
      },
    )
    await until(async () => (await deliveries(ids[at] ?? '', '?status=pending')).meta.total === 0)
  }
  const twice = paths.reduce((sum, path) => sum + receiver.on(path).length - published.length, 0)
  assert.ok(twice <= 12 * 8, `${twice} sent twice`)
})

/** Nothing is told of what a process has not done yet. */
async function attemptsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^webhooks_attempts_total\{result="success"\} (\d+)/m.exec(text)?.[1] ?? 0)
}
