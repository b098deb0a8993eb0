import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { renderOpenApi } from '#http'
import { restModel } from '#test-kit'
import { createDescription } from './openapi.ts'

const { model } = restModel

const empty = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths: {} }
const texts = await Array.fromAsync(
  renderOpenApi(empty, [createDescription({ model: () => model })()]),
)
const document = JSON.parse(`{${texts.join('')}`)

test('the document is OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(document)
  assert.ok(valid, JSON.stringify(errors))
})

test('every reference leads somewhere', () => {
  const found = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)
  for (const [, kind = '', name = ''] of found) {
    assert.ok(document.components[kind][name], `${kind} ${name}`)
  }
})

test('a type has its operations in both versions, and no private member', () => {
  for (const version of ['v1', 'v2']) {
    const operations = (path: string) =>
      Object.keys(document.paths[`/api/${version}${path}`]).sort()
    assert.deepEqual(operations('/articles'), ['get', 'post'])
    assert.deepEqual(operations('/articles/{id}'), ['delete', 'get', 'parameters', 'patch', 'put'])
    assert.deepEqual(operations('/articles/{id}/comments'), ['get', 'parameters', 'post'])
    assert.deepEqual(operations('/articles/{id}/author'), ['get', 'parameters'])
    assert.deepEqual(operations('/articles/{id}/publish'), ['parameters', 'post'])
    assert.deepEqual(operations('/articles/bulk'), ['post'])
    assert.ok(!(`/api/${version}/articles/{id}/secret` in document.paths))
    assert.ok(!(`/api/${version}/notes/{id}/publish` in document.paths))
  }
  assert.ok(!('notes' in document.components.schemas.article.properties))
  assert.equal(document.components.schemas['article.v2'].properties.id.format, 'uuid')
})
