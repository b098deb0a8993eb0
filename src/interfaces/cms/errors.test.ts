import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conflict, DomainError, invalid, notFound } from '#kernel'
import { renderCmsError } from './errors.ts'

const render = (error: DomainError) => renderCmsError(error, { requestId: 'r' })

describe('the envelope', () => {
  test('problems of a body, with their paths', () => {
    const issue = { path: ['title'], rule: 'required', message: 'title is required' }
    assert.deepEqual(render(invalid([issue])), {
      status: 400,
      body: {
        data: null,
        error: {
          status: 400,
          name: 'ValidationError',
          message: 'title is required',
          details: {
            errors: [{ path: ['title'], message: 'title is required', name: 'ValidationError' }],
          },
        },
      },
    })
  })

  test('no more than 50 of them', () => {
    const issue = { path: ['a'], rule: 'x', message: 'a is wrong' }
    const { body } = render(invalid(Array.from({ length: 60 }, () => issue)))
    assert.equal(Object(body).error.details.errors.length, 50)
  })

  test('nothing to add is an empty object', () => {
    const { status, body } = render(notFound('article'))
    assert.equal(status, 404)
    assert.deepEqual(Object(body).error, {
      status: 404,
      name: 'NotFoundError',
      message: 'Article not found',
      details: {},
    })
  })

  for (const [kind, status, name] of [
    ['conflict', 400, 'ValidationError'],
    ['unprocessable', 400, 'ValidationError'],
    ['unauthenticated', 401, 'UnauthorizedError'],
    ['forbidden', 403, 'ForbiddenError'],
    ['method_not_allowed', 405, 'MethodNotAllowedError'],
    ['too_large', 413, 'PayloadTooLargeError'],
    ['unsupported_media', 415, 'UnsupportedMediaTypeError'],
    ['limited', 429, 'RateLimitError'],
  ] as const) {
    test(`${kind} is ${status} ${name}`, () => {
      const { body } = render(new DomainError(kind, 'code', 'text'))
      assert.deepEqual([Object(body).error.status, Object(body).error.name], [status, name])
    })
  }

  test('a unique clash has the path of its attribute', () => {
    const issues = [{ path: ['sku'], rule: 'unique', message: 'sku is taken' }]
    const error = new DomainError('conflict', 'conflict', 'sku is taken', { issues })
    assert.deepEqual(Object(render(error).body).error.details.errors[0].path, ['sku'])
    assert.deepEqual(Object(render(conflict('conflict', 'x')).body).error.details, {})
  })

  test('a refused level says its code', () => {
    const error = new DomainError('forbidden', 'forbidden', 'no', { facts: { required: 'write' } })
    assert.deepEqual(Object(render(error).body).error.details, {
      code: 'forbidden',
      required: 'write',
    })
  })

  test('what we did wrong stays in the log', () => {
    const error = new DomainError('internal', 'internal_error', 'secret', { cause: 'secret' })
    const { status, body } = render(error)
    assert.equal(status, 500)
    assert.equal(Object(body).error.message, 'Internal Server Error')
    assert.ok(!JSON.stringify(body).includes('secret'))
  })

  test('bad paging has a name of its own', () => {
    const error = invalid([{ path: ['page'], rule: 'x', message: 'page' }], 'invalid_pagination')
    assert.equal(Object(render(error).body).error.name, 'PaginationError')
  })
})
