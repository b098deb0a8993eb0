import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseForm } from './form.ts'

test('a form is decoded, and a parameter without a value counts as absent', () => {
  const form = parseForm('grant_type=client_credentials&scope=read+write%20admin&client_id=')
  assert.equal(form.get('scope'), 'read write admin')
  assert.equal(form.has('client_id'), false)
})

test('a repeated parameter is refused, also when it has no value', () => {
  for (const text of ['scope=read&scope=read', 'scope=&scope=read', 'x=1&x=2']) {
    assert.throws(() => parseForm(text), { code: 'invalid_request' }, text)
  }
})

test('a made-up name is not repeated in the refusal', () => {
  assert.throws(() => parseForm('%22secret=1&%22secret=2'), {
    message: 'A parameter is given more than once',
  })
})
