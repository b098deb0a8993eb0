import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError, unavailable } from '#kernel'
import { invalidKey } from '../refusals.ts'
import { invalidClient, invalidRequest, renderError, tooManyFailures } from './errors.ts'

const render = (error: DomainError) => renderError(error, { requestId: 'r' })

test('a refusal has the OAuth form and message repeats the description', () => {
  const { status, headers, body } = render(invalidRequest('scope is "odd" – \\ really'))
  const description = "scope is 'odd' ? ? really"
  assert.equal(status, 400)
  assert.deepEqual(headers, {
    'cache-control': 'no-store',
    pragma: 'no-cache',
    // JSON:API contract §5: exactly this, without a charset.
    'content-type': 'application/json',
  })
  assert.deepEqual(body, {
    error: 'invalid_request',
    error_description: description,
    message: description,
  })
})

test('a wrong client is 401, too many of them 429, and nobody is told which clients exist', () => {
  assert.equal(render(invalidClient('body')).status, 401)
  assert.match(String(invalidClient('basic').headers['www-authenticate']), /^Basic /)
  assert.deepEqual(invalidClient('body').headers, {})
  assert.equal(render(tooManyFailures(7)).status, 429)
})

test('what the framework refuses becomes a word of OAuth', () => {
  const cases: [DomainError, number, string][] = [
    [new DomainError('unsupported_media', 'unsupported_media_type', 'x'), 400, 'invalid_request'],
    [new DomainError('too_large', 'payload_too_large', 'x'), 413, 'invalid_request'],
    [new DomainError('internal', 'internal_error', 'x'), 500, 'server_error'],
    [unavailable('keys_unavailable', 'x'), 503, 'temporarily_unavailable'],
  ]
  for (const [error, status, code] of cases) {
    const rendered = render(error)
    assert.equal(rendered.status, status)
    assert.equal(Reflect.get(Object(rendered.body), 'error'), code)
  }
})

test('a refused key is answered as everywhere', () => {
  assert.deepEqual(render(invalidKey()).body, { error: 'Invalid API key' })
})
