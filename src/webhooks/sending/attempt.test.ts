import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressRule, createOutbound } from '#http'
import { createClock } from '#kernel'
import type { Due, Target } from '../store/due.ts'
import { createAttempts } from './attempt.ts'

const TARGET: Target = {
  url: 'http://127.0.0.1:9/',
  headers: {},
  timeoutMs: 1_000,
  sealed: { id: 's', secret: 'sealed', secretOld: null, secretOldUntilMs: null },
  isUnholding: false,
  isOrdered: false,
  spacingMs: 0,
  sendsInMs: 0,
  epoch: 0,
}
const DUE: Due = {
  id: 'd',
  messageId: 'm',
  sequence: 1,
  trigger: 'scheduled',
  status: 'pending',
  attemptCount: 0,
  tries: 0,
  nextAttemptAtMs: null,
  epoch: 0,
}
const MESSAGE = { id: 'm', type: 'order.created', data: '{}', occurredAtMs: 0 }

const rule = createAddressRule({ allowLoopback: true, allowNets: [] })
const outbound = createOutbound({ rule, log: { info() {} } })

function attempts(open: () => { current: string; previous: null }) {
  const clock = createClock()
  return createAttempts({ clock, secrets: { open }, userAgent: 'x', outbound: () => outbound })
}
const secret = () => ({ current: 'q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A', previous: null })

test('webhooks finding 9: what the client refuses to send is a failed attempt', async (t) => {
  t.after(() => outbound.close())
  for (const headers of [{ expect: '100-continue' }, { 'x y': 'z' }, { x: 'a\nb' }]) {
    const attempted = await attempts(secret).send({ ...TARGET, headers }, DUE, MESSAGE)
    assert.equal(attempted?.error?.code, 'invalid_request', JSON.stringify(headers))
    assert.match(attempted.error.message, /^The request could not be sent: ./)
    assert.equal(attempted.url, TARGET.url)
  }
})

test('webhooks finding 9: so is a secret that cannot be opened, and a message that is gone', async () => {
  const failing = attempts(() => {
    throw new Error('sealed by another key')
  })
  const unopened = await failing.send(TARGET, DUE, MESSAGE)
  assert.match(unopened?.error?.message ?? '', /sealed by another key/)
  const missing = await attempts(secret).send(TARGET, DUE, undefined)
  assert.equal(missing?.error?.code, 'invalid_request')
})
