import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { installation, shareServer, startNodes, startServer, until } from '#test-kit'
import { caller } from '../access/support.ts'
import { PATIENT } from './suites.ts'
import { administration, INSTALLATION } from './support.ts'
import { recordsOf, usageOfRoutes } from './usage.ts'

const SETTINGS = { ...INSTALLATION, ...PATIENT }

describe('two nodes that sell', () => {
  const server = shareServer(() => startNodes(SETTINGS))
  usageOfRoutes('nodes', () => server().nodes)
})

test('gateway 32: a node that is only a gateway sells the content of the main API elsewhere', async () => {
  const secret = 'shared-secret-of-the-nodes'
  const shared = { ...SETTINGS, ENTREPOT_MASTER_KEY: 'a'.repeat(64), ENTREPOT_API_SECRET: secret }
  const main = await installation('postgres', { ...shared, ENTREPOT_ROLES: 'api,worker' })
  const one = await startServer(main)
  const edge = await installation('sqlite', {
    ...shared,
    ENTREPOT_ROLES: 'gateway',
    ENTREPOT_DATABASE_URL: main['ENTREPOT_DATABASE_URL'] ?? '',
    ENTREPOT_API_URL: one.url,
  })
  const two = await startServer(edge)
  const { issueKey, createPlan } = caller(() => one.url)
  const { put } = administration(() => two.url)
  await put('/routes/inner', {
    uri: '/api/*',
    upstream_id: 'entrepot',
    plugins: { 'plan-access': {} },
  })
  const plan = await createPlan({ requests_per_month: 2 })
  const { id, key } = await issueKey({ plan_id: plan.id })
  const headers = { 'x-api-key': key, 'x-request-id': 'from-the-edge' }
  const answer = await fetch(`${two.gatewayUrl}/api/v1/me`, { headers })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('x-ratelimit-remaining'), '1')
  const { data }: { data: { key: { id: number } } } = JSON.parse(await answer.text())
  assert.equal(data.key.id, id)
  const records = await recordsOf(one, id, 1)
  assert.deepEqual(
    records.map((record) => record.endpoint),
    ['/api/*'],
  )
  await until(() => one.log().includes('from-the-edge'))
  const stolen = { 'x-entrepot-forwarded': 'e30.AAAA' }
  assert.equal((await fetch(`${one.url}/api/v1/me`, { headers: stolen })).status, 401)
})
