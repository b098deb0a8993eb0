import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { listenersOn, until } from '#test-kit'
import { caller } from '../access/support.ts'
import { gatewaySuite, named, startUpstream } from './support.ts'

const THREADS = 3

export const replacedThreads = gatewaySuite('replaced threads', ({ server, put, send }) => {
  const { call, issueKey } = caller(() => server().url)
  before(async () => {
    const { node } = await startUpstream(named('up'))
    await put('/upstreams/sold', { nodes: { [node]: 1 } })
    await put('/routes/sold', { uri: '/sold', upstream_id: 'sold', plugins: { 'plan-access': {} } })
  })

  /** Over a connection of its own, which any of the threads may take. */
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await send(path, { headers: { ...headers, connection: 'close' } })
    await answer.text()
    return { status: answer.status, thread: answer.headers.get('x-test-thread') ?? '' }
  }

  test('gateway finding 1: a key revoked while threads are replaced under load is refused by every listener', async () => {
    const { id, key } = await issueKey()
    const by = { 'x-api-key': key }
    const warm = new Set<string>()
    await until(async () => {
      const { status, thread } = await ask('/sold', by)
      assert.equal(status, 200)
      return warm.add(thread).size === THREADS
    })
    let isOver = false
    let answered = 0
    const load = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        await ask('/sold', by).catch(() => undefined)
        answered++
      }
    })
    /** Whoever meets the silent thread waits, in the end all of the load, while the API answers. */
    const isSilent = async () => {
      const before = answered
      for (let n = 0; n < 20; n++) await (await fetch(`${server().url}/health`)).text()
      return answered === before
    }
    for (let round = 1; round <= 2; round++) {
      void send('/none', { headers: { 'x-test-block': '60000' } }).catch(() => undefined)
      // A thread that falls silent after the change would be noticed by the next one only.
      await until(isSilent, { what: 'a silent thread' })
      const path = `/routes/after-${round}`
      const writes = [put(path, { uri: `/after-${round}`, upstream_id: 'sold' })]
      if (round === 2) await call('POST', `/keys/${id}/revoke`)
      await Promise.all(writes)
    }
    isOver = true
    const asked = Array.from({ length: 60 }, () => ask('/sold', by))
    for (const { status } of await Promise.all(asked)) assert.equal(status, 403)
    for (let n = 0; n < 20; n++) assert.equal((await ask('/after-2')).status, 200)
    // A successor may still be on its way; two for one place there are never.
    const count = () => listenersOn(Number(new URL(server().gatewayUrl).port))
    await until(() => {
      assert.ok(count() <= THREADS)
      return count() === THREADS
    })
    await Promise.all(load)
  })
})
