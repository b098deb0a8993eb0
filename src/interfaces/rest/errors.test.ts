import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError, invalid } from '#kernel'
import { renderRestError } from './errors.ts'

const context = { requestId: 'r' }
const issue = (path: (string | number)[], rule: string, message = 'is wrong') => ({
  path,
  rule,
  message,
})

test('a query the store refuses is a bad parameter, named', () => {
  const error = invalid([issue(['created_after'], 'wrong_type', 'must be a time')], 'invalid_query')
  assert.deepEqual(renderRestError(error, context), {
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter',
        message: 'created_after: must be a time',
        details: [
          { field: 'created_after', code: 'wrong_type', message: 'created_after: must be a time' },
        ],
      },
    },
  })
})

test('what concerns include has its own code', () => {
  const { body } = renderRestError(
    invalid([issue(['include', 'author'], 'unknown_relation')], 'invalid_query'),
    context,
  )
  assert.match(JSON.stringify(body), /"code":"invalid_include"/)
})

test('only wrong names have a code of their own', () => {
  const code = (...rules: string[]) => {
    const { body } = renderRestError(invalid(rules.map((rule) => issue(['a'], rule))), context)
    return /"code":"(\w+)"/.exec(JSON.stringify(body))?.[1]
  }
  assert.equal(code('unknown_field', 'unknown_field'), 'unknown_field')
  assert.equal(code('read_only_field'), 'read_only_field')
  assert.equal(code('unknown_field', 'type'), 'validation_error')
  assert.equal(code('required'), 'validation_error')
})

test('other refusals are those of the house', () => {
  const error = new DomainError('unprocessable', 'invalid_reference', 'author 9 does not exist')
  assert.equal(renderRestError(error, context).status, 422)
})
