import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ADMIN_KEY, installation, startServer, until } from '#test-kit'
import { startCutProxy } from '../../conformance/journal/cut-proxy.ts'
import { caller } from './support.ts'

test('while the database is away known keys go on and others are asked to come back', async () => {
  const env = await installation('postgres', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const database = new URL(env['ENTREPOT_DATABASE_URL'] ?? '')
  const proxy = await startCutProxy({ host: database.hostname, port: Number(database.port) })
  database.port = String(proxy.port)
  const server = await startServer({ ...env, ENTREPOT_DATABASE_URL: database.href })
  const { call, issueKey } = caller(() => server.url)
  const known = (await issueKey({ access: 'admin' })).key
  const unused = (await issueKey({ access: 'admin' })).key
  // Settings are answered from memory, so that only the key has to be looked up.
  const path = '/settings/limits'
  assert.equal((await call('GET', path, { key: known })).status, 200)

  proxy.cut()
  const refused = await call('GET', `${path}?api_key=${unused}`, { key: null })
  assert.equal(refused.status, 503)
  assert.equal(refused.body.error.code, 'keys_unavailable')
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await call('GET', path, { key: known })).status, 200)
  assert.equal((await call('GET', path)).status, 200)
  const failed = await call('GET', `/me?api_key=${known}`, { key: null })
  assert.equal(failed.status, 503)
  assert.equal(failed.body.error.code, 'storage_unavailable')

  proxy.mend()
  await until(async () => (await call('GET', path, { key: unused })).status === 200)
  const log = readFileSync(join(server.dataDir, 'logs', 'entrepot.log'), 'utf8')
  assert.match(log, /"msg":"request failed"/)
  for (const key of [known, unused]) {
    assert.equal((log + server.output()).includes(key), false, 'access 15: no key in the error log')
  }
})
