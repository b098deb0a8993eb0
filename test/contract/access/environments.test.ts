import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_KEY, installation, startServer, type TestServer } from '#test-kit'
import { caller } from './support.ts'

const PASSWORD = 'correct horse battery'

for (const [kind, environment, status] of [
  ['sqlite', 'development', 200],
  ['postgres', 'production', 401],
] as const) {
  describe(`${environment} (${kind})`, async () => {
    const server: TestServer = await startServer(
      await installation(kind, {
        ENTREPOT_ENV: environment,
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
        ENTREPOT_ADMIN_PASSWORD: PASSWORD,
        ENTREPOT_PUBLIC_URL: 'https://api.example.test/',
      }),
    )

    test('access 14: basic authentication is on in development and refused in production', async () => {
      const { call } = caller(() => server.url)
      const credentials = Buffer.from(`admin@localhost:${PASSWORD}`).toString('base64')
      const headers = { authorization: `Basic ${credentials}` }
      assert.equal((await call('GET', '/me', { key: null, headers })).status, status, environment)
    })

    test('access 13: the issuer is the public URL', async () => {
      const answer = await fetch(`${server.url}/.well-known/oauth-authorization-server`)
      assert.equal(answer.status, 200)
      assert.deepEqual(await answer.json(), {
        issuer: 'https://api.example.test',
        token_endpoint: 'https://api.example.test/oauth/token',
        revocation_endpoint: 'https://api.example.test/oauth/revoke',
        introspection_endpoint: 'https://api.example.test/oauth/introspect',
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        scopes_supported: ['read', 'write', 'admin'],
        response_types_supported: [],
      })
    })
  })
}
