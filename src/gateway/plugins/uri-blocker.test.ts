import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, imagine, phasesOf } from '../plane/plugin.testing.ts'
import uriBlocker from './uri-blocker.ts'

test('uri-blocker: a rule is met as the target was sent and as it is forwarded', () => {
  const { rewrite } = phasesOf(uriBlocker, { block_rules: ['^/admin', 'root\\.exe'] })
  assert.deepEqual(rewrite?.(imagine({ uri: '/admin/x' })), { status: 403 })
  assert.deepEqual(rewrite?.(imagine({ uri: '/x/../admin' })), { status: 403 })
  assert.deepEqual(rewrite?.(imagine({ uri: '/%61dmin' })), { status: 403 })
  assert.deepEqual(rewrite?.(imagine({ uri: '/x?a=root.exe' })), { status: 403 })
  assert.equal(rewrite?.(imagine({ uri: '/Admin' })), undefined)
  assert.equal(rewrite?.(imagine({ uri: '/x/admin' })), undefined)
})

test('uri-blocker: case, code and text follow the settings; patterns run in linear time', () => {
  const conf = { block_rules: ['^/admin'], case_insensitive: true, rejected_code: 404 }
  const { rewrite } = phasesOf(uriBlocker, { ...conf, rejected_msg: 'no' })
  assert.deepEqual(rewrite?.(imagine({ uri: '/ADMIN' })), {
    status: 404,
    body: { error_msg: 'no' },
  })
  assert.deepEqual(faultsOf(uriBlocker, { block_rules: ['ok', '(a)\\1'] }), ['/block_rules/1'])
})
