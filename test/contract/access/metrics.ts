import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { accessSuite } from './support.ts'

export const metrics = accessSuite('metrics', ({ server, createUser, issueKey }) => {
  test('open to loopback without forwarding headers, from elsewhere to keys of an admin, to no other key', async () => {
    const read = (headers: Record<string, string>) =>
      fetch(`${server().url}/metrics`, { headers }).then(({ status }) => status)
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    const buyer = await createUser('metrics@example.com')
    const { key } = await issueKey({ access: 'read', user_id: buyer.id })
    const { key: viewing } = await issueKey({ access: 'read' })
    assert.equal(await read({}), 200)
    assert.equal(await read(forwarded), 401)
    assert.equal(await read({ ...forwarded, 'x-api-key': ADMIN_KEY }), 200)
    assert.equal(await read({ ...forwarded, 'x-api-key': viewing }), 200)
    assert.equal(await read({ ...forwarded, 'x-api-key': key }), 401)
  })
})
