import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedVersion, routeByAccept } from './versions.ts'

const V2 = 'application/vnd.app.v2+json'

test('the entry with the highest weight decides, whatever its case', () => {
  assert.equal(acceptedVersion(V2), 2)
  assert.equal(acceptedVersion('APPLICATION/VND.APP.V2+JSON'), 2)
  assert.equal(acceptedVersion('application/vnd.app+json'), 1)
  assert.equal(acceptedVersion(`application/vnd.app.v1+json;q=0.5, ${V2}; q=0.9, */*`), 2)
  assert.equal(acceptedVersion(`application/vnd.app.v1+json, ${V2}`), 1)
  assert.equal(acceptedVersion(`application/vnd.app.v1+json;q=0, ${V2};q=0.1`), 2)
})

test('other entries choose nothing', () => {
  for (const accept of ['*/*', 'application/json', 'application/vnd.apple+json', `${V2};q=0`]) {
    assert.equal(acceptedVersion(accept), undefined, accept)
  }
})

test('only unversioned paths below /api are moved', () => {
  const moved = (url: string) => routeByAccept(url, { accept: V2 })
  assert.equal(moved('/api/articles?page=2'), '/api/v2/articles?page=2')
  assert.equal(moved('/api/upload-types'), '/api/v2/upload-types')
  assert.equal(moved('/api/products/7'), '/api/v2/products/7')
  const kept = [
    ...['/api/v1/articles', '/api/v9', '/api', '/apix/y', '/jsonapi/node', '/api/upload?id=1'],
    ...['/api/i18n/locales', '/api/content-type-builder/components', '/api/products/A/stock'],
    '/api/products/stock/update',
  ]
  for (const url of kept) assert.equal(moved(url), url)
})

test('without the header nothing is moved', () => {
  assert.equal(routeByAccept('/api/articles', {}), '/api/articles')
  assert.equal(routeByAccept('/api/articles', { accept: 'application/json' }), '/api/articles')
})
