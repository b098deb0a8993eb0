import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { INSPECTED, inspect } from './inspector.ts'
import { gatewayServer, named, startUpstream } from './support.ts'

/** Longer than a gateway thread gives it, so that it runs in a worker. */
const SLOW = '() => { const end = Date.now() + 60; while (Date.now() < end); return [200, "slow"] }'
const WORKER = 'gateway-scripts'

eachDatabase('gateway script workers', (kind) => {
  const { server, put, send } = gatewayServer(kind, {
    ...INSPECTED,
    ENTREPOT_GATEWAY_THREADS: '1',
  })
  before(async () => {
    const { node } = await startUpstream(named('up'))
    await put('/upstreams/up', { nodes: { [node]: 1 } })
    await put('/routes/plain', { uri: '/plain', upstream_id: 'up' })
    const plugins = { 'serverless-pre-function': { functions: [SLOW], timeout_ms: 1000 } }
    await put('/routes/slow', { uri: '/slow', upstream_id: 'up', plugins })
  })

  const ask = async (path: string) => {
    const answer = await send(path)
    return { status: answer.status, text: await answer.text() }
  }
  /** Others are served until the work is done. */
  async function beside<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    while (!isDone) assert.deepEqual(await ask('/plain'), { status: 200, text: 'up' })
    return done
  }

  const SERVED = { status: 200, text: 'slow' }

  test('gateway 29: a worker that ends fails the call it had; others are served and the next call works', async () => {
    assert.deepEqual(await ask('/slow'), SERVED)
    const { find, close } = await inspect(server())
    const worker = await find(WORKER)
    const { paused } = await worker.pause()
    const underWay = ask('/slow')
    await paused
    worker.exit()
    const { status, text } = await beside(underWay)
    assert.equal(status, 500)
    assert.equal(JSON.parse(text).code, 'script_error')
    assert.deepEqual(await ask('/slow'), SERVED)
    close()
  })

  test('gateway 29: a worker that hangs fails its call and is replaced; others, with scripts too, are served', async () => {
    const { find, close } = await inspect(server())
    const worker = await find(WORKER)
    const { paused } = await worker.pause()
    const underWay = ask('/slow')
    await paused
    assert.deepEqual(await beside(ask('/slow')), SERVED, 'in another worker')
    const { status, text } = await beside(underWay)
    assert.equal(status, 500)
    assert.equal(JSON.parse(text).code, 'script_timeout')
    assert.deepEqual(await ask('/slow'), SERVED)
    close()
  })
})
