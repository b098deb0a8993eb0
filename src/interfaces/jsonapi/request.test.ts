import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeByLanguage } from './request.ts'

test('only a language before /jsonapi is taken from a path', () => {
  const cases: readonly (readonly [url: string, routed: string])[] = [
    ['/da/jsonapi', '/jsonapi'],
    ['/da/jsonapi/node/article?x=1', '/jsonapi/node/article?x=1'],
    ['/pt-BR/jsonapi?x', '/jsonapi?x'],
    ['/jsonapi/da/jsonapi', '/jsonapi/da/jsonapi'],
    ['/da/jsonapix', '/da/jsonapix'],
    ['/api/jsonapi', '/api/jsonapi'],
    ['/articles/jsonapi', '/articles/jsonapi'],
    ['/d/jsonapi', '/d/jsonapi'],
    ['/da/subrequests?_format=json', '/subrequests?_format=json'],
    ['/da/subrequestsx', '/da/subrequestsx'],
  ]
  for (const [url, routed] of cases) assert.equal(routeByLanguage(url), routed)
})
