import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskError, maskHeaders, maskQuery, maskText, maskUrl } from './mask.ts'

test('secret values of a query are masked under every spelling of their name', () => {
  const masked: Record<string, string> = {
    'a=1&b=2': 'a=1&b=2',
    'api_key=x': 'api_key=***',
    'a=1&api%5Fkey=x&b=2': 'a=1&api%5Fkey=***&b=2',
    'API_KEY=x': 'API_KEY=***',
    'password[]=x&user[password]=y&user.password=z':
      'password[]=***&user[password]=***&user.password=***',
    'ticket=a=b&client_secret=c%26d': 'ticket=***&client_secret=***',
    api_key: 'api_key',
    'ticketing=1&my_api_key=2': 'ticketing=1&my_api_key=2',
    '%zz=1&password=x': '%zz=1&password=***',
  }
  for (const [query, expected] of Object.entries(masked)) assert.equal(maskQuery(query), expected)
  assert.equal(maskUrl('/a?ticket=x'), '/a?ticket=***')
  assert.equal(maskUrl('/ticket=x'), '/ticket=x')
})

test('the listed headers are masked, whatever their case', () => {
  assert.deepEqual(
    maskHeaders({
      Authorization: 'a',
      'x-api-key': 'b',
      'Api-Key': 'c',
      cookie: 'd',
      'set-cookie': ['e'],
      accept: 'f',
    }),
    {
      Authorization: '***',
      'x-api-key': '***',
      'Api-Key': '***',
      cookie: '***',
      'set-cookie': '***',
      accept: 'f',
    },
  )
})

test('free text loses keys, logins and bearer values, and keeps the rest', () => {
  const key = `sk_${'A1b2'.repeat(12)}`
  assert.equal(maskText(`key ${key} refused`), 'key sk_*** refused')
  assert.equal(
    maskText('connect postgres://joe:pw@db:5432/x failed'),
    'connect postgres://***@db:5432/x failed',
  )
  assert.equal(maskText('Authorization: Bearer abcdefgh123'), 'Authorization: Bearer ***')
  assert.equal(maskText('{"password":"hunter2","a":1}'), '{"password":"***","a":1}')
  assert.equal(maskText('GET /x?p%61ssword=hunter2&b=1 failed'), 'GET /x?p%61ssword=***&b=1 failed')
  assert.equal(maskText('nothing secret here'), 'nothing secret here')
})

test('an error is masked with all its causes, and a circle of causes ends', () => {
  const inner = new Error('password=a')
  const outer = new Error('ticket=b', { cause: inner })
  inner.cause = outer
  const text = JSON.stringify(maskError(outer))
  assert.doesNotMatch(text, /password=a|ticket=b/)
  assert.match(text, /mask\.test\.ts/)
  assert.deepEqual(maskError('password=a'), { name: 'string', message: 'password=***' })
})
