import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, imagine, phasesOf } from '../plane/plugin.testing.ts'
import realIp from './real-ip.ts'

const addressOf = (conf: object, chain: string, from = '10.0.0.1') => {
  const ctx = imagine({ headers: { 'x-forwarded-for': chain }, from })
  phasesOf(realIp, conf).rewrite?.(ctx)
  return ctx.remoteAddr
}
const CHAIN = { source: 'http_x_forwarded_for', trusted_addresses: ['10.0.0.0/8'] }

test('real-ip: sources and networks that cannot be are at fault', () => {
  assert.deepEqual(faultsOf(realIp, { source: 'no_such' }), ['/source'])
  assert.deepEqual(faultsOf(realIp, { ...CHAIN, trusted_addresses: ['10.0.0.0/99'] }), [
    '/trusted_addresses/0',
  ])
  assert.deepEqual(faultsOf(realIp, CHAIN), [])
})

test('real-ip: the last address counts, or the last that is not trusted; nobody else is believed', () => {
  assert.equal(addressOf(CHAIN, '1.1.1.1, 2.2.2.2'), '2.2.2.2')
  const recursive = { ...CHAIN, recursive: true }
  assert.equal(addressOf(recursive, '1.1.1.1, 2.2.2.2, 10.3.3.3'), '2.2.2.2')
  assert.equal(addressOf(recursive, '10.1.1.1, 10.2.2.2'), '10.1.1.1')
  assert.equal(addressOf(CHAIN, '1.1.1.1', '8.8.8.8'), '8.8.8.8', 'a stranger')
})

test('real-ip: addresses in every form, and nothing that is none', () => {
  assert.equal(addressOf(CHAIN, '[2001:db8::1]:443'), '2001:db8::1')
  assert.equal(addressOf(CHAIN, '1.2.3.4:80'), '1.2.3.4')
  for (const wrong of ['', 'unknown', '1.2.3.4.5', '999.1.1.1', '1.2.3.4; rm']) {
    assert.equal(addressOf(CHAIN, wrong), '10.0.0.1', wrong)
  }
})
