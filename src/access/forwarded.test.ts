import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signForwarded, verifyForwarded } from './forwarded.ts'

const MESSAGE = { method: 'GET', target: '/api/v1/plans?page=1', nowMs: 1_000_000_000 }
const ACTOR = {
  userId: 3,
  consumerId: 'c',
  apiKeyId: 7,
  planId: 2,
  access: 'read' as const,
  kind: 'key' as const,
}
const FORWARDED = {
  ...{ address: '10.0.0.9', actor: ACTOR },
  ...{ scheme: 'https' as const, host: 'shop.example:8443' },
}
const header = signForwarded('the-secret', FORWARDED, MESSAGE)

test('what was signed with one of the secrets is believed', () => {
  const found = verifyForwarded(['another', 'the-secret'], header, MESSAGE)
  assert.equal(found?.address, '10.0.0.9')
  assert.deepEqual(found?.actor, ACTOR)
  assert.deepEqual([found?.scheme, found?.host], ['https', 'shop.example:8443'])
})

test('another secret, request or time, and whatever was altered, are not', () => {
  const verify = (text: string, message = MESSAGE, secrets = ['the-secret']) =>
    verifyForwarded(secrets, text, message)
  assert.equal(verify(header, MESSAGE, ['another']), null)
  assert.equal(verify(header, MESSAGE, []), null)
  assert.equal(verify(header, { ...MESSAGE, method: 'POST' }), null)
  assert.equal(verify(header, { ...MESSAGE, target: '/api/v1/users' }), null)
  assert.equal(verify(header, { ...MESSAGE, nowMs: MESSAGE.nowMs + 300_001 }), null)
  const claim = Buffer.from('{"address":"1.1.1.1","actor":null,"at":1000000000}')
  assert.equal(verify(`${claim.toString('base64url')}.${header.split('.')[1]}`), null)
  for (const wrong of ['', '.', 'x', `${header}.x`, header.slice(0, -3)]) {
    assert.equal(verify(wrong), null, wrong)
  }
})
