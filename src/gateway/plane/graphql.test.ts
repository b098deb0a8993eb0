import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGraphql } from './graphql.ts'

test('operation, name and root fields of a document', () => {
  assert.deepEqual(parseGraphql('{ a b(x: {y: "}"}) { c } }', undefined), {
    operation: 'query',
    name: undefined,
    rootFields: ['a', 'b'],
  })
  const document = `
    # mutation Comment { x }
    query Two($id: [ID!] = ["}"], $o: In = {a: {b: 1}}) @live(if: true) {
      mine: owner(id: $id) @include(if: $y) { inner { deep } } ...Rest ... on Query { third } ... @skip(if: $z) { fourth }
    }
    fragment Rest on Query { second(text: """a "quoted" } text""") ...Rest }
    mutation Three { save }`
  assert.deepEqual(parseGraphql(document, 'Two'), {
    operation: 'query',
    name: 'Two',
    rootFields: ['owner', 'third', 'fourth', 'second'],
  })
  assert.equal(parseGraphql(document, 'Three')?.operation, 'mutation')
  for (const wrong of ['', 'type A { b: C }', 'query {', '{ a', 'hello', '{ ... on A']) {
    assert.equal(parseGraphql(wrong, undefined), undefined, wrong)
  }
  assert.equal(parseGraphql(document, undefined), undefined)
  assert.equal(parseGraphql(document, 'Four'), undefined)
})

test('hostile documents cost no more than their length', () => {
  const began = performance.now()
  for (const text of [
    '{'.repeat(500_000),
    '"""'.repeat(300_001),
    '{a'.repeat(300_000),
    '"'.repeat(900_001),
    '...'.repeat(300_000),
    `{${'...{'.repeat(200_000)}`,
  ]) {
    parseGraphql(text, undefined)
  }
  const tookMs = performance.now() - began
  assert.ok(tookMs < 3_000, `${tookMs} ms`)
})
