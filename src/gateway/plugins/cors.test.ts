import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAnswerHeader } from '../plane/headers.ts'
import { faultsOf, imagine, phasesOf } from '../plane/plugin.testing.ts'
import cors from './cors.ts'

const filtered = (conf: object, headers: Record<string, string>, own: string[] = []) => {
  const ctx = imagine({ headers })
  ctx.headers = [...own]
  ctx.upstreamStatus = 200
  phasesOf(cors, conf).headerFilter?.(ctx)
  return (name: string) => findAnswerHeader(ctx, name)
}

test('cors: settings that browsers refuse or that say nothing are at fault by name', () => {
  assert.deepEqual(faultsOf(cors, {}), [])
  assert.deepEqual(faultsOf(cors, { allow_origins: 'https://a.example, null' }), [])
  assert.deepEqual(faultsOf(cors, { allow_origins: 'a.example' }), ['/allow_origins'])
  assert.deepEqual(faultsOf(cors, { allow_origins: 'https://a.example/path' }), ['/allow_origins'])
  assert.deepEqual(faultsOf(cors, { allow_origins_by_regex: ['(?=x)'] }), [
    '/allow_origins_by_regex/0',
  ])
  assert.deepEqual(faultsOf(cors, { allow_methods: 'GET,a b' }), ['/allow_methods'])
  assert.ok(faultsOf(cors, { allow_credential: true }).length > 0, 'any origin with credentials')
  const listed = { allow_origins: 'https://a.example', allow_methods: 'GET', allow_headers: 'x' }
  assert.deepEqual(faultsOf(cors, { ...listed, allow_credential: true }), [])
})

test('cors: an origin is told itself where it is listed, nothing where it is not', () => {
  const conf = { allow_origins: 'https://a.example, https://B.example' }
  const known = filtered(conf, { origin: 'https://b.example' })
  assert.equal(known('access-control-allow-origin'), 'https://b.example')
  assert.equal(known('vary'), 'Origin')
  const strange = filtered(conf, { origin: 'https://a.example.evil' })
  assert.equal(strange('access-control-allow-origin'), undefined)
  assert.equal(strange('access-control-allow-methods'), undefined)
  assert.equal(strange('vary'), 'Origin')
  assert.equal(filtered({}, { origin: 'https://x' })('access-control-allow-origin'), '*')
  assert.equal(filtered({}, {})('vary'), undefined)
})

test('cors: what the upstream says of it is replaced, and Vary kept', () => {
  const own = ['Access-Control-Allow-Origin', '*', 'Vary', 'Accept']
  const strange = filtered({ allow_origins: 'https://a.example' }, { origin: 'https://b' }, own)
  assert.equal(strange('access-control-allow-origin'), undefined)
  assert.match(strange('vary') ?? '', /Accept/)
})

test('cors: only a whole preflight is answered', () => {
  const { rewrite } = phasesOf(cors, {})
  const asked = { origin: 'https://a', 'access-control-request-method': 'GET' }
  assert.deepEqual(rewrite?.(imagine({ method: 'OPTIONS', headers: asked })), { status: 200 })
  assert.equal(
    rewrite?.(imagine({ method: 'OPTIONS', headers: { origin: 'https://a' } })),
    undefined,
  )
  assert.equal(rewrite?.(imagine({ method: 'GET', headers: asked })), undefined)
})
