import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase, installation, startServer, until } from '#test-kit'
import { administration, INSTALLATION, named, startUpstream } from './support.ts'

const OLD = 'a'.repeat(64)
const NEW = 'b'.repeat(64)
const KEY = 'of-jack'

eachDatabase('gateway after a change of the master key', (kind) => {
  test('gateway 8: objects and history need the old one no longer', async () => {
    const upstream = await startUpstream(named('ok'))
    const env = await installation(kind, { ...INSTALLATION, ENTREPOT_MASTER_KEY: OLD })
    const server = await startServer(env)
    const { put, admin } = administration(() => server.url)
    const restart = async () => {
      server.signal('SIGTERM')
      await server.restart()
    }
    const ask = async (apikey: string) => {
      const answer = await fetch(`${server.gatewayUrl}/sold`, { headers: { apikey } })
      return answer.status
    }
    await put('/routes/sold', {
      uri: '/sold',
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'key-auth': {} },
    })
    await put('/consumers/jack', { plugins: { 'key-auth': { key: KEY } } })
    const { body: then } = await admin('GET', '/history')
    await put('/consumers/jack', { plugins: { 'key-auth': { key: 'another' } } })

    Object.assign(env, { ENTREPOT_MASTER_KEY: NEW, ENTREPOT_MASTER_KEY_PREVIOUS: OLD })
    await restart()
    assert.equal(await ask('another'), 200)
    await until(() => server.log().includes('gateway objects are sealed with the current'))

    delete env['ENTREPOT_MASTER_KEY_PREVIOUS']
    await restart()
    assert.equal(await ask('another'), 200)
    const { status, body } = await admin('GET', '/history')
    assert.equal(status, 200)
    assert.equal(body.list[0].key, '/gateway/consumers/jack')
    const revision = then.list[0].revision
    assert.equal((await admin('POST', '/rollback', { body: { revision } })).status, 200)
    assert.deepEqual([await ask(KEY), await ask('another')], [200, 401])
  })
})
