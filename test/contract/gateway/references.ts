import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '#test-kit'
import { gatewaySuite, startUpstream, type Upstream } from './support.ts'

export const SECRETS_DIR = mkdtempSync(join(tmpdir(), 'gateway-secrets-'))
writeFileSync(join(SECRETS_DIR, 'upstream-token'), 'file-value-one\n')
after(() => rmSync(SECRETS_DIR, { recursive: true }))

/** Values that stand in the environment or in files. */
export const references = gatewaySuite('references', ({ admin, put, send }) => {
  let upstream: Upstream

  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/ref', { nodes: { [upstream.node]: 1 } })
  })
  const sent = async (path: string, headers = {}) => {
    const answer = await send(path, { headers })
    // biome-ignore lint/suspicious/noExplicitAny: the echo of the upstream
    const body: any = answer.status === 200 ? await answer.json() : null
    return { status: answer.status, headers: body?.headers }
  }

  test('gateway references: variables and files stand in stored texts and are never shown', async () => {
    const set = { 'X-Env': '$env://GATEWAY_TEST_VALUE', 'X-File': '$secret://file/upstream-token' }
    const plugins = { 'proxy-rewrite': { headers: { set } }, 'key-auth': {} }
    await put('/routes/ref', { uri: '/ref', upstream_id: 'ref', plugins })
    await put('/consumers/ref', { plugins: { 'key-auth': { key: '$env://GATEWAY_TEST_VALUE' } } })
    const { headers } = await sent('/ref', { apikey: 'value-of-the-environment' })
    assert.equal(headers['x-env'], 'value-of-the-environment')
    assert.equal(headers['x-file'], 'file-value-one')
    assert.equal((await sent('/ref', { apikey: '$env://GATEWAY_TEST_VALUE' })).status, 401)
    const { body } = await admin('GET', '/routes/ref')
    assert.deepEqual(body.value.plugins['proxy-rewrite'].headers.set, set)
    const explained = await admin('POST', '/explain', { body: { uri: '/ref' } })
    assert.equal(explained.body.forward.headers['x-env'], '******')
    const pages = ['/configs', '/history', '/consumers/ref'].map((path) => admin('GET', path))
    for (const page of [explained, ...(await Promise.all(pages))]) {
      assert.doesNotMatch(JSON.stringify(page.body), /value-of-the-environment|file-value-one/)
    }
    writeFileSync(join(SECRETS_DIR, 'upstream-token'), 'file-value-two\n')
    const key = { apikey: 'value-of-the-environment' }
    await until(async () => (await sent('/ref', key)).headers['x-file'] === 'file-value-two')
  })

  test('gateway references: what stands for nothing, or is ours, is refused at the write', async () => {
    for (const [reference, message] of [
      ['$env://GATEWAY_TEST_NOTHING', /GATEWAY_TEST_NOTHING is not set/],
      ['$env://ENTREPOT_GATEWAY_ADMIN_KEY', /is a setting of this server/],
      ['$secret://file/nothing', /no file nothing/],
      ['$secret://file/../x', /must be \$env/],
      ['$secret://vault/x', /must be \$env/],
    ] as const) {
      const body = { plugins: { 'key-auth': { key: reference } } }
      const answer = await admin('PUT', '/consumers/bad', { body })
      assert.equal(answer.status, 400, reference)
      assert.match(answer.body.error_msg, message)
      assert.equal(answer.body.errors[0].path, '/plugins/key-auth/key')
    }
    assert.equal((await admin('GET', '/secrets')).status, 404)
  })
})
