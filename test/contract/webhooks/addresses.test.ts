import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eachDatabase, until } from '#test-kit'
import { startTcp } from './receiver.ts'
import { webhookServer } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
/** Makes `rebound.test` an address of this machine, as the name server of an attacker would. */
const NAMES = fileURLToPath(new URL('./names.ts', import.meta.url))
const NAMED = { NODE_OPTIONS: `--import=${NAMES}` }
const NO_NETS = { ENTREPOT_WEBHOOKS_ALLOW_NETS: '' }

const REFUSED = [
  'http://[::ffff:10.0.0.1]/',
  'http://169.254.169.254/',
  'http://10.1.2.3/',
  'http://0x0a.1.2.3/',
  'http://192.168.0.1/',
  'http://[fd00::1]/',
  'http://[64:ff9b::a00:1]/',
  'http://metadata.google.internal/',
]
const LOOPBACK = ['http://127.0.0.1/', 'http://2130706433/', 'http://localhost/', 'http://[::1]/']

eachDatabase('addresses in production', (kind) => {
  const { post, call, must } = webhookServer(kind, {
    ...NAMED,
    ...NO_NETS,
    ENTREPOT_ENV: 'production',
  })

  const create = (endpoint_url: string) =>
    post(SUBSCRIPTIONS, { endpoint_url, events: ['order.created'] })

  test('webhooks 7: refused addresses are 422 in every spelling', async () => {
    for (const url of [...REFUSED, ...LOOPBACK]) {
      const { status, body } = await create(url)
      assert.equal(status, 422, url)
      assert.equal(body.error.code, 'endpoint_not_allowed', url)
    }
  })

  test('webhooks 7: a name that resolves to this machine is never connected to', async () => {
    const trap = await startTcp((socket) => socket.end())
    const { status, body } = await create(`http://rebound.test:${trap.port}/`)
    assert.equal(status, 201)
    const path = `${SUBSCRIPTIONS}/${body.id}`
    const delivery = await until(async () => {
      const { data } = await must('GET', `${path}/deliveries?include=attempts`)
      return data[0]?.attempt_count > 0 && data[0]
    })
    assert.equal(delivery.attempts[0].error.code, 'address_not_allowed')
    const probed = await until(async () => {
      const shown = await must('GET', path)
      return shown.last_probe
    })
    assert.deepEqual([probed.reachable, probed.error], [false, 'address_not_allowed'])
    const tested = await call('POST', `${path}/test?wait=true`, { body: {} })
    assert.equal(tested.body.last_error.code, 'address_not_allowed')
    assert.equal(trap.connections, 0)
  })

  test('webhooks 7: allow-nets opens them while the server runs, https_only closes http', async () => {
    const trap = await startTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    )
    const settings = '/api/v1/settings/webhooks'
    await must('PATCH', settings, { body: { allow_nets: ['127.0.0.0/8', '::1/128'] } })
    for (const host of ['127.0.0.1', 'rebound.test', 'localhost']) {
      const { status, body } = await create(`http://${host}:${trap.port}/`)
      assert.equal(status, 201, host)
      const tested = await until(async () => {
        const answer = await call('POST', `${SUBSCRIPTIONS}/${body.id}/test?wait=true`, {
          body: {},
        })
        return answer.body.status === 'succeeded' && answer.body
      })
      assert.equal(tested.last_status_code, 200)
    }
    await must('PATCH', settings, { body: { https_only: true } })
    assert.equal((await create(`http://127.0.0.1:${trap.port}/`)).status, 422)
    assert.equal((await create('http://10.0.0.1/')).status, 422)
  })
})

eachDatabase('addresses in development', (kind) => {
  const { post } = webhookServer(kind, { ...NO_NETS, ENTREPOT_ENV: 'development' })

  test('webhooks 7: only this machine itself is open', async () => {
    const create = async (endpoint_url: string) =>
      (await post(SUBSCRIPTIONS, { endpoint_url, events: ['order.created'] })).status
    for (const url of REFUSED) assert.equal(await create(url), 422, url)
    for (const url of LOOPBACK) assert.equal(await create(url.replace(/\/$/, ':1/')), 201, url)
  })
})
