import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, type HostileTarget, houseErrors, oauthErrors, sendHostile } from '#test-kit'
import { type AccessServer, accessSuite } from './support.ts'

const LIST = ['page', 'per_page', 'after_id', 'before_id', 'limit', 'sort', 'order']
const SCOPE = ['key_id', 'user_id', 'scope', 'plan_id']
const RANGE = ['from', 'to', 'interval']
const PLAN = {
  name: 'Hostile',
  requests_per_month: 10,
  requests_per_minute: 10,
  endpoints: ['GET /v1/articles', 'GET /v1/articles/**'],
  price_monthly: '19.90',
  currency: 'EUR',
  keys_per_user: 1,
}
const AREAS = ['limits', 'content', 'delivery', 'webhooks', 'jsonapi', 'scrapers']

interface Victims {
  readonly user: number
  readonly plan: number
  readonly key: number
  readonly client: number
}

/** Every operation of access below `/api/v1`; what changes something meets victims only. */
function targetsOf({ user, plan, key, client }: Victims): HostileTarget[] {
  const one = (ids: readonly (string | number)[]) => ({ path: '', ids })
  const users = { ...one([user]), path: '/api/v1/users/{id}' }
  const plans = { ...one([plan]), path: '/api/v1/plans/{id}' }
  const keys = { ...one([key]), path: '/api/v1/keys/{id}' }
  const clients = { ...one([client]), path: '/api/v1/oauth/clients/{id}' }
  const account = {
    email: 'hostile@example.com',
    name: 'H',
    access: 'read',
    password: 'long enough',
  }
  const newKey = { plan_id: plan, user_id: user, name: 'k', access: 'read', expires_at: null }
  return [
    { method: 'GET', path: '/api/v1/me', query: ['fields'] },
    { method: 'POST', path: '/api/v1/users', body: account },
    {
      method: 'GET',
      path: '/api/v1/users',
      query: [...LIST, 'status', 'email', 'created_after', 'q'],
    },
    { method: 'GET', ...users },
    { method: 'PATCH', ...users, body: { ...account, status: 'active' } },
    { method: 'POST', path: '/api/v1/plans', body: PLAN },
    { method: 'GET', path: '/api/v1/plans', query: LIST },
    { method: 'GET', ...plans },
    { method: 'PUT', ...plans, body: PLAN },
    { method: 'PATCH', ...plans, body: PLAN },
    { method: 'POST', path: '/api/v1/keys', body: newKey },
    {
      method: 'GET',
      path: '/api/v1/keys',
      query: [...LIST, 'user_id', 'plan_id', 'status', 'prefix'],
    },
    { method: 'GET', ...keys },
    {
      method: 'PATCH',
      ...keys,
      body: { plan_id: plan, name: 'k', expires_at: '2090-01-01T00:00:00Z' },
    },
    { method: 'POST', ...keys, path: `${keys.path}/rotate`, body: { grace_seconds: 60 } },
    { method: 'POST', path: '/api/v1/keys/{id}/revoke', body: { reason: 'r' } },
    {
      method: 'POST',
      path: '/api/v1/sign-in',
      body: { email: 'nobody@example.com', password: 'x' },
    },
    { method: 'POST', path: '/api/v1/sign-in/reset', body: { email: 'nobody@example.com' } },
    {
      method: 'POST',
      path: '/api/v1/sign-in/password',
      body: { token: 'x'.repeat(48), password: 'long enough' },
    },
    { method: 'GET', path: '/api/v1/sign-in' },
    { method: 'DELETE', path: '/api/v1/sign-in' },
    { method: 'POST', path: '/api/v1/stream-tickets', body: {} },
    { method: 'GET', path: '/api/v1/usage', query: SCOPE },
    { method: 'GET', path: '/api/v1/usage/series', query: [...SCOPE, ...RANGE] },
    { method: 'GET', path: '/api/v1/usage/endpoints', query: [...SCOPE, ...RANGE] },
    {
      method: 'GET',
      path: '/api/v1/usage/records',
      query: [...SCOPE, ...RANGE, ...LIST, 'status_code', 'endpoint', 'format', 'csv_safe'],
    },
    { method: 'GET', path: '/api/v1/usage/invoice', query: [...SCOPE, 'month'] },
    { method: 'GET', path: '/api/v1/usage/stream', query: [...SCOPE, 'last_event_id', 'ticket'] },
    { method: 'GET', path: '/api/v1/settings/{area}', ids: AREAS },
    {
      method: 'PATCH',
      path: '/api/v1/settings/{area}',
      ids: ['delivery'],
      body: { Enabled: true, ApiKey: '***', MaxTake: 100, AllowedContentTypeAliases: ['a'] },
    },
    {
      method: 'POST',
      path: '/api/v1/oauth/clients',
      body: { name: 'c', user_id: user, plan_id: plan, scopes: ['read'] },
    },
    { method: 'GET', path: '/api/v1/oauth/clients', query: [...LIST, 'user_id'] },
    { method: 'GET', ...clients },
    {
      method: 'PATCH',
      ...clients,
      body: { name: 'c', plan_id: plan, scopes: ['read'], disabled: false },
    },
    { method: 'POST', path: '/api/v1/oauth/clients/{id}/rotate-secret' },
    { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  ]
}

const CREDENTIALS = { client_id: 'nobody', client_secret: 'wrong' }
const OAUTH: readonly HostileTarget[] = [
  {
    method: 'POST',
    path: '/oauth/token',
    form: { grant_type: 'client_credentials', scope: 'read write', ...CREDENTIALS },
  },
  { method: 'POST', path: '/oauth/revoke', form: { token: 'at_x', ...CREDENTIALS } },
  { method: 'POST', path: '/oauth/introspect', form: { token: 'at_x' } },
]

async function victimsOf({
  data,
  createUser,
  createPlan,
  issueKey,
}: AccessServer): Promise<Victims> {
  const user = await createUser(`victim-${Date.now()}@example.com`)
  const plan = await createPlan({ name: 'Victim' })
  const key = await issueKey({ plan_id: plan.id, user_id: user.id })
  const body = { name: 'victim', user_id: user.id, plan_id: plan.id }
  const client = await data('POST', '/oauth/clients', { body })
  return { user: user.id, plan: plan.id, key: key.id, client: client.id }
}

/** As many as given to each of the two interfaces. */
export async function attackAccess(access: AccessServer, count: number): Promise<void> {
  const victims = await victimsOf(access)
  const { url } = access.server()
  const house = await sendHostile({
    ...{ url, count, seed: 12, shape: houseErrors },
    targets: targetsOf(victims),
    headers: { 'X-API-Key': ADMIN_KEY },
  })
  // Were most of them refused for the credential or the same fault, little would have been tried.
  const share = (status: number) => (house.get(status) ?? 0) / count
  assert.ok(share(200) + share(201) > 0.05, `few succeed: ${JSON.stringify([...house])}`)
  assert.ok(share(400) > 0.2, `few are refused for what they say: ${JSON.stringify([...house])}`)
  assert.ok(share(401) < 0.2, `many are refused for the key: ${JSON.stringify([...house])}`)
  const headers = { 'X-API-Key': ADMIN_KEY }
  await sendHostile({ url, count, seed: 13, shape: oauthErrors, targets: OAUTH, headers })
  assert.equal((await access.call('GET', '/me')).status, 200)
}

export const hostile = accessSuite('hostile requests', (access) => {
  test('access 19: 300 hostile requests to each interface are answered in its error shape', async () => {
    await attackAccess(access, 300)
  })
})
