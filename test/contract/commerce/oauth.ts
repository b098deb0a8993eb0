import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import OAuth from 'oauth-1.0a'
import { type How, sign, type Values } from './signer.ts'
import { commerceSuite } from './support.ts'

const LIST = '/rest/V1/products'
const CRITERIA =
  'searchCriteria%5BfilterGroups%5D%5B0%5D%5Bfilters%5D%5B0%5D%5Bfield%5D=name&searchCriteria%5BfilterGroups%5D%5B0%5D%5Bfilters%5D%5B0%5D%5Bvalue%5D=a%20b%2Bc'

export const oauth = commerceSuite('signed requests', (commerce) => {
  const { call, ok, server } = commerce
  let erp: Values & { id: number }

  const integration = async (name: string, access_level = 'write') =>
    (await ok('POST', '/api/v1/integrations', { body: { name, access_level } })).data

  const send = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, init)
    const problem = /oauth_problem="(\w+)"/.exec(response.headers.get('www-authenticate') ?? '')
    return { status: response.status, problem: problem?.[1], body: await response.json() }
  }
  /** Signs for `path` and sends it. */
  const signed = (path: string, how: How = {}, values: Values = erp) => {
    const { url, headers } = sign(values, `${server().url}${path}`, how)
    return send(url, { method: how.method ?? 'GET', headers })
  }
  const refusedWith = async (problem: string, path: string, how: How = {}, values?: Values) => {
    const answer = await signed(path, how, values ?? erp)
    assert.deepEqual([answer.status, answer.problem], [401, problem])
    return answer.body
  }

  before(async () => {
    erp = await integration('ERP')
  })

  test('commerce 4: an independent signer passes with header and query, by all path forms', async () => {
    for (const place of ['header', 'query'] as const) {
      for (const algorithm of ['HMAC-SHA256', 'HMAC-SHA1']) {
        for (const path of [
          LIST,
          `${LIST}?${CRITERIA}`,
          `/index.php/rest/all/v1/products/?a=b&a=a`,
        ]) {
          const { status, body } = await signed(path, { place, algorithm, version: '1.0' })
          assert.equal(status, 200, `${place} ${path} ${JSON.stringify(body)}`)
        }
      }
    }
  })

  test('commerce 4: oauth-1.0a with %5B..%5D and with a parameter without = both verify', async () => {
    const signer = new OAuth({
      consumer: { key: erp.consumer_key, secret: erp.consumer_secret },
      signature_method: 'HMAC-SHA256',
      hash_function: (text, key) => createHmac('sha256', key).update(text).digest('base64'),
    })
    const token = { key: erp.access_token, secret: erp.access_token_secret }
    for (const query of [CRITERIA, 'searchCriteria', 'searchCriteria&fields=total_count']) {
      const url = `${server().url}${LIST}?${query}`
      const headers = signer.toHeader(signer.authorize({ url, method: 'GET' }, token))
      const { status, body } = await send(url, { headers: { ...headers } })
      assert.equal(status, 200, `${query} ${JSON.stringify(body)}`)
    }
  })

  test('commerce 5: the same signed request is accepted once, also of two at the same moment', async () => {
    const { url, headers } = sign(erp, `${server().url}${LIST}`)
    const both = await Promise.all([send(url, { headers }), send(url, { headers })])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
    assert.equal(both.find(({ status }) => status === 401)?.problem, 'nonce_used')
    await server().kill()
    await server().restart()
    assert.equal((await send(url, { headers })).problem, 'nonce_used')
  })

  test('commerce 5: everything that does not fit is refused with its problem', async () => {
    const now = Math.floor(Date.now() / 1000)
    for (const timestamp of [now - 602, now + 602]) {
      await refusedWith('timestamp_refused', LIST, { timestamp })
    }
    assert.equal((await signed(LIST, { timestamp: now - 590 })).status, 200)
    const other = await integration('Other')
    const messages = [
      await refusedWith('signature_invalid', LIST, {}, { ...erp, consumer_secret: 'x' }),
      await refusedWith('signature_invalid', LIST, {}, { ...erp, access_token_secret: 'x' }),
      await refusedWith('token_rejected', LIST, {}, { ...erp, access_token: other.access_token }),
      await refusedWith('consumer_key_unknown', LIST, {}, { ...erp, consumer_key: 'x' }),
    ]
    assert.equal(new Set(messages.map((body) => JSON.stringify(body))).size, 1)
    for (const algorithm of ['PLAINTEXT', 'constructor', 'hmac-sha256']) {
      await refusedWith('signature_method_rejected', LIST, { algorithm })
    }
    await refusedWith('version_rejected', LIST, { version: '2.0' })
    await refusedWith('parameter_absent', LIST, { nonce: '' })
    await refusedWith('parameter_absent', LIST, { nonce: 'n'.repeat(65) })
    const { url, headers } = sign(erp, `${server().url}${LIST}?fields=items`)
    assert.equal(
      (await send(url.replace('items', 'total'), { headers })).problem,
      'signature_invalid',
    )
    assert.equal((await send(url, { headers, method: 'POST' })).problem, 'signature_invalid')
    const bare = await send(`${server().url}${LIST}`, { headers: { authorization: 'OAuth' } })
    assert.deepEqual([bare.status, bare.problem], [401, 'parameter_absent'])
    await ok('DELETE', `/api/v1/integrations/${other.id}`).catch(() => {})
    await refusedWith('token_revoked', LIST, {}, other)
  })

  test('commerce 5: an integration is made for a plan there is; a number that is no id is 400', async () => {
    const make = async (plan_id: number) => {
      const body = { name: 'ERP', plan_id }
      return (await call('POST', '/api/v1/integrations', { body })).status
    }
    assert.equal(await make(Number.MAX_SAFE_INTEGER), 422)
    for (const wrong of [0, 1.5, 1e30, 1e300]) assert.equal(await make(wrong), 400, String(wrong))
  })

  test('commerce 5: an integration has its level, shows secrets once and is metered on its key', async () => {
    const reader = await integration('Reader', 'read')
    assert.equal((await signed(LIST, {}, reader)).status, 200)
    const { url, headers } = sign(reader, `${server().url}${LIST}`, { method: 'POST' })
    const body = JSON.stringify({ product: { sku: 'O', name: 'O', price: 1 } })
    const typed = { ...headers, 'content-type': 'application/json' }
    assert.equal((await send(url, { method: 'POST', headers: typed, body })).status, 401)
    for (const name of ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret']) {
      assert.match(reader[name], /^[a-z0-9]{32}$/, name)
    }
    const { data } = await ok('GET', `/api/v1/integrations/${reader.id}`)
    assert.deepEqual(
      ['consumer_secret', 'access_token', 'access_token_secret'].filter((name) => name in data),
      [],
    )
    const list = await ok('GET', '/api/v1/integrations')
    assert.ok(list.data.some(({ id }: { id: number }) => id === reader.id))
    const again = (await ok('POST', `/api/v1/integrations/${reader.id}/regenerate`)).data
    assert.equal((await signed(LIST, {}, reader)).status, 401)
    assert.equal((await signed(LIST, {}, again)).status, 200)
    const info = await ok('GET', `/api/v1/keys/${reader.api_key_id}`)
    assert.equal(info.data.name, 'Reader')
    assert.equal((await call('GET', '/api/v1/integrations/999999')).status, 404)
    const type = { singularName: 'integration', pluralName: 'integrations', attributes: {} }
    assert.equal((await call('POST', '/api/v1/content-types', { body: type })).status, 409)
  })
})
