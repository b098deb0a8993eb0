import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restModel } from '#test-kit'
import { warnOfShadowed } from './shadowed.ts'

test('scale 16: a type whose name is reserved by now is told of at the start, others are not', () => {
  const [type] = restModel.model.types
  assert.ok(type)
  const named = (more: object) => ({ ...type, ...more })
  const types = [
    named({ singularName: 'search', pluralName: 'searches' }),
    named({ singularName: 'find', pluralName: 'search' }),
    named({ kind: 'singleType', singularName: 'search', pluralName: 'finds' }),
    named({ singularName: 'article', pluralName: 'articles' }),
  ]
  const told: object[] = []
  const ignore = () => {}
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (about: object) => told.push(about),
  }
  warnOfShadowed({ ...restModel.model, types }, log)
  assert.deepEqual(told, [
    { contentType: 'find', path: '/api/v1/search' },
    { contentType: 'search', path: '/api/v1/search' },
  ])
})
