import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningsOf } from './plan-warnings.ts'

const ARTICLES = {
  name: 'article',
  paths: ['/api/v1/articles', '/api/articles', '/jsonapi/node/article'],
}

test('access finding 19: endpoints that name a public type are warned of, once for each type', () => {
  const named = [
    'GET /v1/articles',
    'GET /v1/articles/*',
    'GET /v1/articles/**',
    '* /api/articles/{id}',
    'GET /api/v1/articles',
    'GET /jsonapi/node/article/**',
  ]
  for (const endpoint of named) assert.equal(warningsOf([endpoint], [ARTICLES]).length, 1, endpoint)
  const [warning = ''] = warningsOf(named, [ARTICLES])
  assert.equal(warningsOf(named, [ARTICLES]).length, 1)
  assert.match(warning, /GET \/v1\/articles .*article.*publicRead/)
})

test('access finding 19: what names no public type, or does not read it, is not warned of', () => {
  for (const endpoint of [
    '*',
    'GET /v1/*',
    '* /v1/**',
    'POST /v1/articles',
    'GET /v1/articles-x',
  ]) {
    assert.deepEqual(warningsOf([endpoint], [ARTICLES]), [], endpoint)
  }
  assert.deepEqual(warningsOf(['GET /v1/articles'], []), [])
})
