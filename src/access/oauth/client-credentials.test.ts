import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseClientCredentials } from './client-credentials.ts'
import { parseForm } from './form.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const empty = parseForm('')

test('both parts of a Basic header are form-decoded after base64', () => {
  assert.deepEqual(parseClientCredentials(basic('cl%5Fa:s+%3A%C3%A9'), empty), {
    clientId: 'cl_a',
    secret: 's :é',
    scheme: 'basic',
  })
  assert.equal(parseClientCredentials(basic('a:b:c').replace('B', 'b'), empty)?.secret, 'b:c')
})

test('an unreadable Basic header is the credentials of nobody', () => {
  for (const header of ['Basic', 'Basic ', 'Basic ???', basic('nocolon'), basic('a%zz:b')]) {
    assert.deepEqual(parseClientCredentials(header, empty), {
      clientId: '',
      secret: '',
      scheme: 'basic',
    })
  }
})

test('credentials in the body need both members; none at all is null', () => {
  const form = parseForm('client_id=a&client_secret=b')
  const expected = { clientId: 'a', secret: 'b', scheme: 'body' }
  assert.deepEqual(parseClientCredentials(undefined, form), expected)
  assert.deepEqual(parseClientCredentials('Bearer x', form), expected)
  assert.equal(parseClientCredentials(undefined, empty), null)
  for (const text of ['client_id=a', 'client_secret=b']) {
    assert.throws(() => parseClientCredentials(undefined, parseForm(text)), /is missing/)
  }
})

test('header and body at once are refused; only the same client_id may be repeated', () => {
  const header = basic('a:b')
  for (const text of ['client_id=a&client_secret=b', 'client_secret=b', 'client_id=x']) {
    assert.throws(() => parseClientCredentials(header, parseForm(text)), {
      code: 'invalid_request',
    })
  }
  assert.equal(parseClientCredentials(header, parseForm('client_id=a'))?.scheme, 'basic')
})
