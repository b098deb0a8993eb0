import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileEndpoints, problemOf, routedPath } from './endpoints.ts'

function permits(endpoints: string[], method: string, url: string): boolean {
  return compileEndpoints(endpoints)(method, routedPath(url))
}

describe('a plan permits only what its list names', () => {
  test('nothing when it is empty, everything when it is *', () => {
    assert.equal(permits([], 'GET', '/api/v1/articles'), false)
    assert.equal(permits(['*'], 'DELETE', '/anything/at/all'), true)
  })

  test('a path permits itself and not what is below', () => {
    const list = ['GET /v1/articles']
    assert.equal(permits(list, 'GET', '/api/v1/articles'), true)
    assert.equal(permits(list, 'GET', '/v1/articles'), true)
    assert.equal(permits(list, 'GET', '/api/v1/articles/7'), false)
    assert.equal(permits(list, 'GET', '/api/v1/Articles'), false)
    assert.equal(permits(list, 'GET', '/api/v1/articlesX'), false)
    assert.equal(permits(list, 'POST', '/api/v1/articles'), false)
  })

  test('*, {name} and :name are exactly one segment', () => {
    for (const list of [
      ['GET /v1/articles/*'],
      ['GET /v1/articles/{id}'],
      ['GET /v1/articles/:id'],
    ]) {
      assert.equal(permits(list, 'GET', '/api/v1/articles/7'), true)
      assert.equal(permits(list, 'GET', '/api/v1/articles'), false)
      assert.equal(permits(list, 'GET', '/api/v1/articles/7/comments'), false)
    }
    assert.equal(permits(['GET /v1/*/7/comments'], 'GET', '/api/v1/articles/7/comments'), true)
  })

  test('** is the list itself and everything below', () => {
    const list = ['GET /v1/articles/**']
    for (const path of ['/api/v1/articles', '/api/v1/articles/7', '/api/v1/articles/7/comments']) {
      assert.equal(permits(list, 'GET', path), true, path)
    }
    assert.equal(permits(list, 'GET', '/api/v1/authors'), false)
    assert.equal(permits(['GET /**'], 'GET', '/'), true)
  })

  test('GET permits HEAD, * every method, OPTIONS is never checked', () => {
    assert.equal(permits(['GET /v1/articles'], 'HEAD', '/api/v1/articles'), true)
    assert.equal(permits(['HEAD /v1/articles'], 'GET', '/api/v1/articles'), false)
    assert.equal(permits(['* /v1/articles'], 'DELETE', '/api/v1/articles'), true)
    assert.equal(permits([], 'OPTIONS', '/api/v1/articles'), true)
  })

  test('only versioned paths may leave /api out', () => {
    assert.equal(permits(['GET /articles'], 'GET', '/api/articles'), false)
    assert.equal(permits(['GET /jsonapi/**'], 'GET', '/jsonapi/node/article'), true)
    assert.equal(permits(['GET /api/v1/articles'], 'GET', '/api/v1/articles'), true)
  })
})

describe('no way of writing a path gets past a pattern', () => {
  const list = ['GET /v1/articles/**', 'GET /v1/media']

  test('a trailing slash, a query and a fragment change nothing', () => {
    for (const url of ['/api/v1/media/', '/api/v1/media?x=/../', '/api/v1/media#/users']) {
      assert.equal(permits(list, 'GET', url), true, url)
    }
    assert.equal(permits(list, 'GET', '/api/v1/users?/api/v1/media'), false)
    assert.equal(permits(list, 'GET', '/api/v1/users#/api/v1/media'), false)
  })

  test('percent-encoding is read as the router reads it', () => {
    assert.equal(permits(list, 'GET', '/api/v1/%61rticles/7'), true)
    assert.equal(permits(list, 'GET', '/api/v1/%75sers'), false)
    assert.equal(permits(['GET /v1/articles/*'], 'GET', '/api/v1/articles/a%2Fb'), true)
    assert.equal(permits(['GET /v1/articles/*/b'], 'GET', '/api/v1/articles/a%2Fb'), false)
    assert.equal(permits(['GET /v1/media'], 'GET', '/api/v1/%256dedia'), false)
    assert.equal(permits(list, 'GET', '/api/v1/articles/%'), true)
  })

  test('//, . and .. match no pattern, also encoded', () => {
    for (const url of [
      '/api/v1/articles/../users',
      '/api/v1/articles/%2e%2e/users',
      '/api/v1/./articles',
      '/api/v1//articles',
      '//api/v1/articles',
      '/api/v1/articles//',
    ]) {
      assert.equal(permits(list, 'GET', url), false, url)
    }
  })

  test('the absolute form of a request line is its path', () => {
    assert.equal(permits(list, 'GET', 'http://host:8080/api/v1/media'), true)
    assert.equal(permits(list, 'GET', 'HTTP://host/api/v1/users'), false)
  })
})

test('a malformed pattern is told from a good one', () => {
  for (const good of [
    '*',
    'GET /v1/articles',
    'GET /v1/articles/',
    '* /**',
    'PATCH /v1/:type/{id}',
    'GET /',
    'GET /cms/delivery/api/v2/content/item/*',
    'GET /größe',
  ]) {
    assert.equal(problemOf(good), undefined, good)
  }
  for (const bad of [
    '',
    'GET',
    '/v1/articles',
    'GET v1/articles',
    'get /v1/articles',
    'FETCH /v1/articles',
    'GET  /v1/articles',
    'GET /v1/articles extra',
    'GET /v1//articles',
    'GET /v1/../users',
    'GET /v1/art*',
    'GET /v1/**/comments',
    'GET /v1/{id',
    'GET /v1/:',
    'GET /v1/%61',
    'GET /v1/articles?x=1',
    '**',
  ]) {
    assert.equal(typeof problemOf(bad), 'string', bad)
    assert.equal(compileEndpoints([bad])('GET', '/v1/articles'), false, bad)
  }
})
