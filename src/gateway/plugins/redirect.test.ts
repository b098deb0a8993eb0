import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, imagine, phasesOf } from '../plane/plugin.testing.ts'
import type { PluginDeps } from '../plane/plugin.ts'
import redirect from './redirect.ts'

const to = (conf: object, uri: string, method = 'GET') =>
  phasesOf(redirect, conf).rewrite?.(imagine({ uri, method }))

test('redirect: exactly one target, patterns that can be, groups that exist', () => {
  assert.deepEqual(faultsOf(redirect, {}), [''])
  assert.deepEqual(faultsOf(redirect, { uri: '/a', http_to_https: true }), [''])
  assert.deepEqual(faultsOf(redirect, { http_to_https: true, append_query_string: true }), [
    '/append_query_string',
  ])
  assert.deepEqual(faultsOf(redirect, { regex_uri: ['(', '/x'] }), ['/regex_uri/0'])
  assert.deepEqual(faultsOf(redirect, { regex_uri: ['^/(a)$', '/$2'] }), ['/regex_uri/1'])
  assert.deepEqual(faultsOf(redirect, { regex_uri: ['^/(a)$', '/$1'] }), [])
})

test('redirect: by variable, by pattern or not at all, with the query where wanted', () => {
  assert.deepEqual(to({ uri: '/new$uri' }, '/a?x=1'), {
    status: 302,
    headers: { Location: '/new/a' },
  })
  const appended = { uri: '/n?y=2', append_query_string: true, ret_code: 307 }
  assert.deepEqual(to(appended, '/a?x=1'), { status: 307, headers: { Location: '/n?y=2&x=1' } })
  const rule = { regex_uri: ['^/old/(.*)$', 'https://b.example/$1'] }
  assert.deepEqual(to(rule, '/old/x/y'), {
    status: 302,
    headers: { Location: 'https://b.example/x/y' },
  })
  assert.equal(to(rule, '/other'), undefined)
})

test('redirect: http_to_https keeps the method of what is no GET', () => {
  const location = { Location: 'https://shop.example/a?b=1' }
  assert.deepEqual(to({ http_to_https: true }, '/a?b=1'), { status: 301, headers: location })
  assert.deepEqual(to({ http_to_https: true }, '/a?b=1', 'POST'), {
    status: 308,
    headers: location,
  })
  assert.equal(to({ http_to_https: false }, '/a'), undefined)
})

test('redirect: http_to_https names the own TLS port only to who has reached this gateway itself', () => {
  const deps: PluginDeps = Object.assign(Object.create(null), { tlsPort: 9443 })
  const { rewrite } = redirect.setup({ http_to_https: true }, deps)
  const led = (headers: Record<string, string>, isTrusted: boolean) => {
    const answer = rewrite?.({ ...imagine({ uri: '/a', headers }), isTrusted })
    return answer && 'headers' in answer ? answer.headers?.['Location'] : undefined
  }
  const told = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'www.example:8080' }
  assert.equal(led(told, true), 'https://www.example/a')
  assert.equal(led({ 'x-forwarded-proto': 'http' }, true), 'https://shop.example/a')
  assert.equal(led({}, true), 'https://shop.example:9443/a')
  assert.equal(led(told, false), 'https://shop.example:9443/a')
})
