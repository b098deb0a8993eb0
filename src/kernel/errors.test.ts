import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict, DomainError, invalid, notFound, OperatorError, unavailable } from './errors.ts'

test('an error tells kind, code, message and facts, and keeps its cause to itself', () => {
  const cause = new Error('password=hunter2')
  const error = new DomainError('limited', 'quota_exceeded', 'Quota exceeded', {
    facts: { quota: 10 },
    cause,
  })
  assert.ok(error instanceof Error)
  assert.equal(error.cause, cause)
  const sent = JSON.stringify({ ...error, message: error.message })
  assert.deepEqual(JSON.parse(sent), {
    name: 'DomainError',
    kind: 'limited',
    code: 'quota_exceeded',
    message: 'Quota exceeded',
    issues: [],
    facts: { quota: 10 },
    headers: {},
  })
})

test('one problem is the message, several are counted, all are kept', () => {
  const title = { path: ['title'], rule: 'required', message: 'title is required' }
  const price = { path: ['items', 0, 'price'], rule: 'type', message: 'price must be a number' }
  assert.equal(invalid([title]).message, 'title is required')
  const both = invalid([title, price])
  assert.equal(both.message, '2 fields are not valid')
  assert.equal(both.code, 'validation_error')
  assert.deepEqual(both.issues, [title, price])
  assert.equal(invalid([title], 'unknown_field').code, 'unknown_field')
})

test('not found names its noun in code and sentence', () => {
  const error = notFound('proxy_pool')
  assert.deepEqual([error.kind, error.code], ['not_found', 'proxy_pool_not_found'])
  assert.equal(error.message, 'Proxy pool not found')
  assert.equal(notFound().code, 'not_found')
})

test('the other short forms', () => {
  const clash = conflict('run_active', 'The run is active', { run_id: 7 })
  assert.deepEqual([clash.kind, clash.code, clash.facts], ['conflict', 'run_active', { run_id: 7 }])
  const cause = new Error('ECONNREFUSED')
  const away = unavailable('store_away', 'Try again', cause)
  assert.deepEqual([away.kind, away.code, away.cause], ['unavailable', 'store_away', cause])
  assert.equal(new OperatorError('The port is taken').name, 'OperatorError')
})
