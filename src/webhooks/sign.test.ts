import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sign, verify } from './sign.ts'

const CURRENT = 'q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A'
const PREVIOUS = 'A6dP4fN1hX8sL5jR9vY2cK7mWe0BtZ3q'
const SIGNED = { id: 'evt_1', timestampSeconds: 1_794_700_554, body: '{"a":1}' }
const NOW_MS = SIGNED.timestampSeconds * 1000

function presented(signature: string, body = SIGNED.body) {
  return { id: SIGNED.id, timestamp: String(SIGNED.timestampSeconds), signature, body }
}

test('each secret signs twice, the current one first', () => {
  const both = sign(SIGNED, { current: CURRENT, previous: PREVIOUS }).split(' ')
  const alone = sign(SIGNED, { current: CURRENT, previous: null }).split(' ')
  assert.equal(both.length, 4)
  assert.deepEqual(both.slice(0, 2), alone)
  const library = new Webhook(CURRENT)
  assert.equal(alone[0], library.sign(SIGNED.id, new Date(NOW_MS), SIGNED.body))
  const raw = new Webhook(CURRENT, { format: 'raw' })
  assert.equal(alone[1], raw.sign(SIGNED.id, new Date(NOW_MS), SIGNED.body))
})

test('verifying tells which secret matched, or why none did', () => {
  const secrets = { current: CURRENT, previous: PREVIOUS }
  const byPrevious = sign(SIGNED, { current: PREVIOUS, previous: null })
  const byCurrent = sign(SIGNED, { current: CURRENT, previous: null })
  assert.deepEqual(verify(presented(byCurrent), secrets, NOW_MS), {
    valid: true,
    matched: 'current',
  })
  assert.deepEqual(verify(presented(byPrevious), secrets, NOW_MS), {
    valid: true,
    matched: 'previous',
  })
  const reason = (verdict: ReturnType<typeof verify>) => (verdict.valid ? '' : verdict.reason)
  const late = verify(presented(byCurrent), secrets, NOW_MS + 301_000)
  assert.equal(reason(late), 'timestamp_out_of_range')
  const changed = verify(presented(byCurrent, '{"a":2}'), secrets, NOW_MS)
  assert.equal(reason(changed), 'no_matching_signature')
  assert.equal(reason(verify(presented(''), secrets, NOW_MS)), 'missing_header')
})
