import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capScopes, highestOf, parseScopes, renderScopes } from './scopes.ts'

test('scopes are levels in their own order, each once', () => {
  assert.deepEqual(parseScopes(' admin read  read'), ['read', 'admin'])
  assert.equal(renderScopes(['write', 'read']), 'read write')
  assert.equal(parseScopes('read Write'), undefined)
  assert.equal(parseScopes('read\twrite'), undefined)
  assert.deepEqual(parseScopes(''), [])
})

test('the level of scopes is the highest; none give none', () => {
  assert.equal(highestOf(['read', 'admin', 'write']), 'admin')
  assert.equal(highestOf([]), undefined)
})

test('scopes above the ceiling become the ceiling', () => {
  assert.deepEqual(capScopes(['read', 'admin'], 'write'), ['read', 'write'])
  assert.deepEqual(capScopes(['admin'], 'read'), ['read'])
  assert.deepEqual(capScopes(['read'], 'admin'), ['read'])
})
