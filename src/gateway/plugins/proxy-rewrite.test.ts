import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, imagine, phasesOf } from '../plane/plugin.testing.ts'
import proxyRewrite from './proxy-rewrite.ts'

const rewritten = (conf: object, uri = '/a', headers: Record<string, string> = {}) => {
  const ctx = imagine({ uri, headers })
  return { answer: phasesOf(proxyRewrite, conf).rewrite?.(ctx), ctx }
}

test('proxy-rewrite: pairs, patterns, groups and names of headers are at fault by their place', () => {
  const faults = (conf: object) => faultsOf(proxyRewrite, conf)
  assert.deepEqual(faults({ regex_uri: ['^/a$', '/b', '^/c$'] }), ['/regex_uri'])
  assert.deepEqual(faults({ regex_uri: ['(?<=x)', '/b'] }), ['/regex_uri/0'])
  assert.deepEqual(faults({ regex_uri: ['^/(a)$', '/$2'] }), ['/regex_uri/1'])
  assert.deepEqual(faults({ uri: '/$nothing_known' }), ['/uri'])
  assert.deepEqual(faults({ headers: { remove: ['Connection'] } }), ['/headers/remove/Connection'])
  assert.deepEqual(faults({ headers: { add: { Host: 'x' } } }), ['/headers'])
  assert.deepEqual(faults({ headers: { 'X-A': 'a\r\nb' } }), ['/headers/X-A'])
  assert.deepEqual(faults({ headers: { set: {}, 'X-A': '1' } }), ['/headers/X-A'])
  assert.deepEqual(faults({ headers: { 'X-A': '$http_x_b' } }), [])
})

test('proxy-rewrite: the first pattern that matches decides, and the query is kept', () => {
  const rules = { regex_uri: ['^/v2/(.*)$', '/$1', '^/(.*)$', '/other/$1'] }
  assert.equal(rewritten(rules, '/v2/x?a=1').ctx.forwardPath, '/x')
  assert.equal(rewritten(rules, '/v2/x?a=1').ctx.forwardQuery, '?a=1')
  assert.equal(rewritten(rules, '/v3').ctx.forwardPath, '/other/v3')
  assert.equal(rewritten({ uri: '/n?own=1' }, '/a?b=2').ctx.forwardQuery, '?own=1&b=2')
})

test('proxy-rewrite: nothing of a client ends the line of the request or leaves the root', () => {
  const { ctx } = rewritten({ uri: '/x/$arg_p' }, '/a?p=%0D%0AHost:%20evil')
  assert.doesNotMatch(ctx.forwardPath, /[\r\n ]/)
  const { answer } = rewritten({ uri: '/x/$arg_p' }, '/a?p=../../..')
  assert.deepEqual((answer as { status: number } | undefined)?.status, 400)
})

test('proxy-rewrite: headers are added, removed and set; an empty value removes', () => {
  const conf = {
    headers: { add: { 'X-A': ['1', '2'] }, set: { 'X-B': '$http_x_none' }, remove: ['X-C'] },
  }
  const { forwardHeaders } = rewritten(conf, '/a', { 'x-b': 'b', 'x-c': 'c' }).ctx
  assert.deepEqual(forwardHeaders?.get('x-a'), ['1', '2'])
  assert.equal(forwardHeaders?.get('x-b'), null)
  assert.equal(forwardHeaders?.get('x-c'), null)
})
