import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { faultsOf } from '../plane/plugin.testing.ts'
import jwtAuth from './jwt-auth.ts'

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const faults = (conf: object) => faultsOf(jwtAuth, { key: 'k', ...conf }, true)

test('jwt-auth: a consumer has what its algorithm needs', () => {
  const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)
  const p256 = pem(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey)
  const ed = pem(generateKeyPairSync('ed25519').publicKey)
  assert.deepEqual(faults({ secret: 's' }), [])
  assert.deepEqual(faults({}), ['/secret'])
  assert.deepEqual(faults({ secret: 'not base64!', base64_secret: true }), ['/secret'])
  assert.deepEqual(faults({ algorithm: 'RS256' }), ['/public_key'])
  assert.deepEqual(faults({ algorithm: 'RS256', public_key: 'no key' }), ['/public_key'])
  for (const [algorithm, good, bad] of [
    ['RS256', rsa, p256],
    ['PS512', rsa, ed],
    ['ES256', p256, rsa],
    ['ES384', null, p256],
    ['EdDSA', ed, rsa],
  ] as const) {
    if (good) assert.deepEqual(faults({ algorithm, public_key: good }), [], algorithm)
    assert.deepEqual(faults({ algorithm, public_key: bad }), ['/public_key'], algorithm)
  }
})

test('jwt-auth: RSA keys that are too short are refused', () => {
  const short = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)
  assert.deepEqual(faults({ algorithm: 'RS256', public_key: short }), ['/public_key'])
})
