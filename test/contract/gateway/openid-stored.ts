import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller } from '../access/support.ts'
import { gatewaySuite } from './support.ts'

export const openidStored = gatewaySuite(
  'openid-connect as it is stored',
  ({ server, admin, put }) => {
    const settings = {
      discovery: 'https://id.example/.well-known/openid-configuration',
      client_id: 'shop',
      client_secret: 'client-secret-in-clear',
      session: { secret: 'session-secret-in-clear', cookie: { lifetime: 60 } },
    }
    const value = { uri: '/oidc', plugins: { 'openid-connect': settings } }
    const read = async (key?: string) => {
      const { body } = await admin('GET', '/routes/oidc', key === undefined ? {} : { key })
      return body.value.plugins['openid-connect']
    }

    test('gateway 8: secrets of openid-connect are shown to admins only, and stay when a mask is sent back', async () => {
      await put('/routes/oidc', value)
      const viewer = await caller(() => server().url).issueKey({ access: 'read' })
      assert.deepEqual(await read(), settings)
      const masked = await read(viewer.key)
      assert.deepEqual(
        [masked.client_secret, masked.session.secret, masked.session.cookie.lifetime],
        ['******', '******', 60],
      )
      const session = { ...masked.session, cookie: { lifetime: 90 } }
      await put('/routes/oidc', {
        uri: '/oidc',
        plugins: { 'openid-connect': { ...masked, session } },
      })
      const kept = await read()
      assert.deepEqual(
        [kept.client_secret, kept.session.secret, kept.session.cookie.lifetime],
        ['client-secret-in-clear', 'session-secret-in-clear', 90],
      )
    })

    test('gateway 26: discovery, client_id and client_secret alone are complete (Doc 3 §5)', async () => {
      const { session: _, ...bare } = settings
      await put('/routes/oidc', { uri: '/oidc', plugins: { 'openid-connect': bare } })
      assert.deepEqual(await read(), bare)
      for (const missing of ['discovery', 'client_id', 'client_secret']) {
        const part = Object.fromEntries(Object.entries(bare).filter(([name]) => name !== missing))
        const body = { uri: '/oidc', plugins: { 'openid-connect': part } }
        const { status, body: answer } = await admin('PUT', '/routes/oidc', { body })
        assert.equal(status, 400)
        assert.match(answer.error_msg, new RegExp(`openid-connect/${missing}: is required`))
      }
    })
  },
)
