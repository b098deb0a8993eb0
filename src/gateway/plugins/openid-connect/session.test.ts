import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLack } from './bearer.ts'
import { needsRenewal, prolong, toSession } from './session.ts'

const CONF = { discovery: 'https://id.example', client_id: 'shop', client_secret: 'x' }
const TOKENS = {
  response: { access_token: 'a', token_type: 'bearer', refresh_token: 'r', id_token: 'i' } as const,
  claims: { sub: 'ann' },
}

test('gateway 26: a token without a length of life has the one of the settings', () => {
  const about = { user: null, nowMs: 1000, before: null }
  assert.equal(toSession(CONF, TOKENS, about).accessEndsAtMs, 3_601_000)
  const short = { ...CONF, access_token_expires_in: 60, access_token_expires_leeway: 20 }
  const session = toSession(short, TOKENS, about)
  assert.equal(session.accessEndsAtMs, 61_000)
  assert.equal(needsRenewal(short, session, 40_999), false)
  assert.equal(needsRenewal(short, session, 41_000), true)
})

test('gateway 26: what a renewal does not bring stays as it was', () => {
  const user = { sub: 'ann', name: 'Ann' }
  const before = toSession(CONF, TOKENS, { user, nowMs: 0, before: null })
  const response = { access_token: 'b', token_type: 'bearer', expires_in: 5 } as const
  const renewed = toSession(CONF, { response, claims: undefined }, { user: null, nowMs: 9, before })
  const { accessToken, refreshToken, idToken, claims, user: kept, startedAtMs } = renewed
  assert.deepEqual(
    [accessToken, refreshToken, idToken, claims, kept, startedAtMs],
    ['b', 'r', 'i', { sub: 'ann' }, user, 0],
  )
})

test('gateway 26: a session is prolonged in the last sixth of its time', () => {
  const session = toSession(CONF, TOKENS, { user: null, nowMs: 0, before: null })
  assert.equal(prolong(CONF, session, 2_900_000), undefined)
  assert.equal(prolong(CONF, session, 3_000_000)?.endsAtMs, 6_600_000)
})

test('gateway 26: scopes are texts or lists, audiences one or many', () => {
  const conf = {
    ...CONF,
    required_scopes: ['a', 'b'],
    claim_validator: { audience: { match_with_client_id: true } },
  }
  assert.equal(findLack(conf, { aud: 'shop', scope: 'b a c' }), undefined)
  assert.equal(findLack(conf, { aud: ['x', 'shop'], scp: ['a', 'b'] }), undefined)
  assert.deepEqual(findLack(conf, { aud: 'shop', scope: 'ab' })?.body, {
    error: 'required scopes a, b not present',
  })
  assert.equal(findLack(conf, { scope: 'a b' })?.status, 403)
})
