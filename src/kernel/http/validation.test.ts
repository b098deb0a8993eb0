import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createValidatorCompiler } from './validation.ts'

const schema = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 1, maximum: 10 }, name: { type: 'string' } },
}

test('access 19: a number in a query has bounds, also one that is too large for a number', async () => {
  const compile = await createValidatorCompiler()
  const check = compile({ schema, method: 'GET', url: '/', httpPart: 'querystring' })
  assert.equal(check({ id: '7', name: '1e999' }), true)
  for (const id of ['1e999', '-1e999', 'Infinity', '11', 'x', '1.5']) {
    const outcome: unknown = check({ id })
    assert.notEqual(outcome, true, id)
    assert.match(JSON.stringify(outcome), /"instancePath":"\/id"/, id)
  }
})
