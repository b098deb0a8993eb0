import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase, runBeside, runEntrepot, startServer, until } from '#test-kit'
import { sign, type Values } from './signer.ts'
import { ADMIN_EMAIL, ADMIN_PASSWORD, caller, commerceInstallation } from './support.ts'

const OLD = 'a'.repeat(64)
const NEW = 'b'.repeat(64)
const LOST = 'c'.repeat(64)
const HOUR_MS = 3_600_000
const TOKEN = '/V1/integration/admin/token'

eachDatabase('credentials of commerce that are kept', (kind) => {
  test('commerce §3: expired rows are purged, addresses limited, secrets sealed anew or given up', async () => {
    const env = await commerceInstallation(kind, { ENTREPOT_MASTER_KEY: OLD })
    const server = await startServer(env)
    const { call, ok } = caller(() => server.url)
    const ask = (username: string, password: string) =>
      call('POST', TOKEN, { key: null, body: { username, password } })
    const right = () => ask(ADMIN_EMAIL, ADMIN_PASSWORD)
    const signed = async (values: Values) => {
      const { url, headers } = sign(values, `${server.url}/rest/V1/modules`)
      return (await fetch(url, { headers })).status
    }
    const restart = async () => {
      server.signal('SIGTERM')
      await server.exited()
      await server.restart()
    }
    // No interface shows these tables.
    const stored = (table: string) => runBeside({ env }, `select * from ${table}`)

    assert.equal((await right()).status, 200)
    assert.equal((await ask('nobody@example.org', 'x')).status, 401)
    assert.equal((await stored('commerce_tokens')).length, 1)
    assert.equal((await stored('commerce_failures')).length, 2)
    await server.setClockOffset(25 * HOUR_MS)
    assert.equal((await right()).status, 200)
    await until(async () => (await stored('commerce_failures')).length === 0)
    assert.equal((await stored('commerce_tokens')).length, 1, 'the new one')

    const guesses = Array.from({ length: 100 }, (_, at) => ask(`guess${at}@example.org`, 'x'))
    assert.ok((await Promise.all(guesses)).every(({ status }) => status === 401))
    const limited = await right()
    assert.equal(limited.status, 429)
    assert.ok(Number(limited.headers.get('retry-after')) > 3_000)
    await server.setClockOffset(26 * HOUR_MS + 60_000)
    assert.equal((await right()).status, 200)
    await server.setClockOffset(0)

    const { data: erp } = await ok('POST', '/api/v1/integrations', { body: { name: 'ERP' } })
    const [before] = await stored('commerce_integrations')
    Object.assign(env, { ENTREPOT_MASTER_KEY: NEW, ENTREPOT_MASTER_KEY_PREVIOUS: OLD })
    await restart()
    assert.equal(await signed(erp), 200)
    await until(async () => {
      const [now] = await stored('commerce_integrations')
      return ['consumer_secret', 'token_secret'].every((name) => now?.[name] !== before?.[name])
    })
    delete env['ENTREPOT_MASTER_KEY_PREVIOUS']
    await restart()
    assert.equal(await signed(erp), 200)

    server.signal('SIGTERM')
    await server.exited()
    env['ENTREPOT_MASTER_KEY'] = LOST
    const reset = await runEntrepot(['secrets', 'reset', '--yes'], env)
    assert.equal(reset.code, 0, reset.output)
    assert.match(reset.output, new RegExp(`the secrets of the integration ${erp.id} \\(ERP\\)`))
    await server.restart()
    assert.equal(await signed(erp), 401)
    const { data: again } = await ok('POST', '/api/v1/integrations', { body: { name: 'ERP' } })
    assert.equal(await signed(again), 200)
  })
})
