import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, until } from '#test-kit'
import { startUpstream } from '../gateway/support.ts'
import { accessSuite, rawCall } from './support.ts'

const PASSWORD = 'hunter2-hunter2'

export const secretsInLogs = accessSuite(
  'secrets and logs',
  ({ server, call, issueKey, createUser }) => {
    const log = () => server().log()

    test('access 15: ?api_key= works, and its value is in no log', async () => {
      const { id, key } = await issueKey()
      const path = `/plans?api_key=${key}&per_page=1`
      const answer = await call('GET', path, { key: null })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('link')?.includes(key), false)
      assert.match(answer.headers.get('link') ?? '', /per_page=1/)
      assert.equal(answer.headers.get('x-ignored-parameters'), null)

      // Encoded names, wrong keys, refused routes and bodies that fail are written down too.
      const { url } = server()
      const encoded = await rawCall(url, 'GET', `/api/v1/me?api%5Fkey=${key}`)
      assert.equal(encoded.status, 200)
      await rawCall(url, 'GET', `/api/v1/nothing?api_key=${key}`)
      await rawCall(url, 'GET', `/api/v1/me?x=%zz&api_key=${key}`)
      await rawCall(url, 'GET', `/api/v1/me?api_key=${key.slice(0, -1)}X`)
      await call('POST', `/plans?api_key=${ADMIN_KEY}`, { key: null, text: '{' })
      const ticket = await call('POST', '/stream-tickets', { key })
      await rawCall(url, 'GET', `/api/v1/me?ticket=${ticket.body.data.ticket}`)
      await createUser('logged@example.com', { password: PASSWORD })
      const body = { email: 'logged@example.com', password: PASSWORD }
      const signedIn = await call('POST', '/sign-in', { key: null, body })
      const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
      await call('GET', '/me', { key: null, headers: { cookie, 'x-request-id': 'last-one' } })

      await until(() => log().includes('last-one'))
      const written = log() + server().output()
      const token = cookie.split('=')[1] ?? ''
      const secrets = [key, key.slice(0, 40), ADMIN_KEY, ticket.body.data.ticket, token, PASSWORD]
      for (const secret of secrets) assert.equal(written.includes(secret), false, secret)
      assert.match(written, /"query":"api_key=\*\*\*&per_page=1"/)
      assert.match(written, new RegExp(`"api_key_id":${id}\\b`))
    })

    test('access 15: an upstream that echoes everything never sees the value, nor do its log and records', async () => {
      const upstream = await startUpstream()
      const { id, key } = await issueKey()
      const route = {
        uri: '/echoing/*',
        upstream: { nodes: { [upstream.node]: 1 } },
        plugins: { 'plan-access': {} },
      }
      const put = await fetch(`${server().url}/gateway/admin/routes/echoing`, {
        method: 'PUT',
        headers: { 'x-api-key': ADMIN_KEY },
        body: JSON.stringify(route),
      })
      assert.equal(put.status, 201)
      const { gatewayUrl } = server()
      await until(async () => (await rawCall(gatewayUrl, 'GET', '/echoing/')).status === 401)
      const encoded = key.replace('sk_', '%73%6B_')
      const targets = [
        `/echoing/a?api_key=${key}&x=1`,
        `/echoing/b?x=1&api%5Fkey=${key}`,
        `/echoing/c?api_key=${encoded}&x=1&api_key=${key}`,
      ]
      for (const target of targets) {
        const { status, body } = await rawCall(gatewayUrl, 'GET', target)
        assert.equal(status, 200, target)
        const { url } = JSON.parse(body)
        assert.equal(url.slice(url.indexOf('?')), '?x=1')
        assert.equal(body.includes(key.slice(3)), false)
      }
      const wrong = `${key.slice(0, -1)}${key.endsWith('X') ? 'Y' : 'X'}`
      await rawCall(gatewayUrl, 'GET', `/echoing/d?api_key=${wrong}`)
      await rawCall(gatewayUrl, 'GET', `/echoing/e?x=%zz&api_key=${key}`, {
        'x-request-id': 'echo-e',
      })

      await until(() => log().includes('echo-e'))
      const written = log() + server().output()
      assert.equal(written.includes(key.slice(3, 40)), false)
      assert.match(written, /"query":"api_key=\*\*\*&x=1"/)
      const records = await until(async () => {
        const { body } = await call('GET', `/usage/records?key_id=${id}`)
        return body.data.length >= 4 && body.data
      })
      assert.equal(JSON.stringify(records).includes(key.slice(3)), false)
      for (const { endpoint } of records) assert.equal(endpoint, '/echoing/*')
    })
  },
)
