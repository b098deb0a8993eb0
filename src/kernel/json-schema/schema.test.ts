import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactJson } from '../exact-json.ts'
import { createPayloadSchemas, problemsOfSchema } from './schema.ts'

function problems(schema: unknown, payload: unknown): string[] {
  assert.deepEqual(problemsOfSchema(schema), [])
  const check = createPayloadSchemas().createCheck()
  return check(JSON.stringify(schema), payload).map(({ path, rule }) => `${path.join('.')} ${rule}`)
}

test('webhooks finding 12: a payload is held against the schema of its type', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['id', 'lines'],
    additionalProperties: false,
    properties: {
      id: { type: 'integer', minimum: 1 },
      email: { type: 'string', format: 'email' },
      code: { type: 'string', pattern: '^[A-Z]{3}$' },
      lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
      at: { anyOf: [{ type: 'null' }, { format: 'date-time', type: 'string' }] },
    },
    $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { minLength: 2 } } } },
  }
  assert.deepEqual(problems(schema, { id: 1, code: 'ABC', lines: [{ sku: 'ab' }], at: null }), [])
  assert.deepEqual(
    problems(schema, {
      id: 0,
      email: 'x',
      code: 'abc',
      lines: [{}, { sku: 'a' }],
      at: 1,
      extra: 1,
    }),
    [
      'id minimum',
      'email format',
      'code pattern',
      'lines.0.sku required',
      'lines.1.sku minLength',
      'at anyOf',
      'extra false',
    ],
  )
  assert.deepEqual(problems(schema, {}), ['id required', 'lines required'])
})

test('webhooks finding 12: the other keywords', () => {
  const cases: [object, unknown, unknown][] = [
    [{ enum: ['a', { b: 1 }] }, { b: 1 }, 'c'],
    [{ const: null }, null, 0],
    [{ multipleOf: 0.1 }, 0.3, 0.35],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, 2, 3],
    [{ maxLength: 2 }, '\u{1F600}\u{1F600}', 'abc'],
    [
      { uniqueItems: true },
      [1, '1'],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], ['a', 'b']],
    [{ contains: { type: 'number' }, maxContains: 1 }, [1, 'a'], [1, 2]],
    [
      { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      { x1: 1 },
      { y: 1 },
    ],
    [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    [{ dependentRequired: { a: ['b'] } }, { c: 1 }, { a: 1 }],
    [{ oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] }, 1, 7],
    [{ not: { type: 'string' } }, 1, 'a'],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { type: 'string' }, then: { minLength: 1 }, else: { type: 'null' } }, 'a', ''],
    [{ type: ['integer', 'null'] }, null, 1.5],
    [{ format: 'uuid' }, '0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44', 'x'],
  ]
  for (const [schema, good, bad] of cases) {
    assert.deepEqual(problems(schema, good), [], JSON.stringify(schema))
    assert.equal(problems(schema, bad).length > 0, true, JSON.stringify(schema))
  }
})

test('webhooks finding 11: an integer beyond 2^53 is an integer to a schema', () => {
  const payload = parseExactJson('{"n":9007199254740993}')
  assert.deepEqual(problems({ properties: { n: { type: 'integer' } } }, payload), [])
})

test('webhooks finding 12: a schema that means nothing is refused with its paths', () => {
  const refused = (schema: unknown) => problemsOfSchema(schema).map(({ path }) => path.join('.'))
  assert.deepEqual(refused('x'), ['schema'])
  assert.deepEqual(refused([]), ['schema'])
  assert.deepEqual(refused({ type: 'text' }), ['schema.type'])
  assert.deepEqual(refused({ properties: { a: { tpye: 'string' } } }), ['schema.properties.a.tpye'])
  assert.deepEqual(refused({ $ref: 'https://example.org/schema' }), ['schema.$ref'])
  assert.deepEqual(refused({ $ref: '#/$defs/none' }), ['schema.$ref'])
  assert.deepEqual(refused({ $ref: '#/$defs/%' }), ['schema.$ref'])
  assert.deepEqual(refused({ pattern: '(a+)\\1' }), ['schema.pattern'])
  assert.deepEqual(refused({ pattern: '(?=a)' }), ['schema.pattern'])
  assert.deepEqual(refused({ format: 'regex' }), ['schema.format'])
  assert.deepEqual(refused({ allOf: [] }), ['schema.allOf'])
  assert.deepEqual(refused({ constructor: {} }), ['schema.constructor'])
  let deep: unknown = {}
  for (let n = 0; n < 50; n++) deep = { items: deep }
  assert.equal(refused(deep).length, 1)
})

test('webhooks finding 12: circles and explosions end', () => {
  assert.deepEqual(problems({ $ref: '#' }, {}), [' schema'])
  const twice = (name: string) => ({
    allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }],
  })
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `d${n}`,
      n === 29 ? { type: 'number' } : twice(`d${n + 1}`),
    ]),
  )
  const startMs = performance.now()
  assert.deepEqual(problems({ ...twice('d0'), $defs }, {}), [' schema'])
  assert.ok(performance.now() - startMs < 5_000)
})
