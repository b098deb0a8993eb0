import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, until } from '#test-kit'
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
  },
)
