import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import type { OperationServer, RawAnswer } from './support.ts'

const KEY = `X-API-Key: ${ADMIN_KEY}`
const FORM_PATHS = ['/api/upload', '/api/v1/media', '/api/v2/media', '/api/articles']
const LISTS = [
  ...['/api/v1/articles', '/api/v2/articles', '/api/articles', '/jsonapi/node/article'],
  ...['/cms/delivery/api/v2/content', '/api/v1/keys', '/api/v1/media', '/webhooks/subscriptions'],
  ...['/api/v1/openapi.json', '/oauth/token', '/', '/health', '/nothing', '/gateway/admin/routes'],
]

/** How each dialect says what is wrong; the code where the shape has one. */
const SHAPES: readonly (readonly [string, (answer: RawAnswer) => unknown])[] = [
  ['/api/v1/articles', ({ text }) => typeof JSON.parse(text).error.code],
  ['/api/articles', ({ text, status }) => JSON.parse(text).error.status === status && 'string'],
  [
    '/jsonapi/node/article',
    ({ text, status, headers }) => {
      assert.equal(headers.get('content-type'), 'application/vnd.api+json')
      return JSON.parse(text).errors[0].status === String(status) && 'string'
    },
  ],
  [
    '/cms/delivery/api/v2/content',
    ({ text, status, headers }) => {
      assert.equal(headers.get('content-type'), 'application/problem+json')
      return JSON.parse(text).status === status && typeof JSON.parse(text).title
    },
  ],
  ['/gateway/admin/routes', ({ text }) => typeof JSON.parse(text).error_msg],
  ['/oauth/token', ({ text }) => typeof JSON.parse(text).error],
]

export function httpSuite(operation: OperationServer): void {
  describe('what HTTP itself can do wrong', () => {
    const { raw, data, call } = operation

    const shaped = (path: string, answer: RawAnswer, status: number) => {
      assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 300)}`)
      const shape = SHAPES.find(([known]) => known === path)?.[1]
      assert.equal(shape?.(answer), 'string', `${path}: ${answer.text.slice(0, 300)}`)
    }

    test('operation finding 5: a form that is cut off, has no boundary or another one is 400', async () => {
      const open = '--edge\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n'
      const forms: readonly (readonly [string, string])[] = [
        ['', `${open}\r\nhello\r\n--edge--\r\n`],
        ['; boundary=', `${open}\r\nhello\r\n--edge--\r\n`],
        [`; boundary=${'x'.repeat(300)}`, `${open}\r\nhello\r\n--edge--\r\n`],
        ['; boundary=edge', `${open}\r\nhello`],
        ['; boundary=edge', `${open}\r\nhello\r\n--edge\r\n`],
        ['; boundary=edge', open],
        ['; boundary=other', `${open}\r\nhello\r\n--edge--\r\n`],
        ['; boundary=edge', 'no form at all'],
      ]
      for (const path of FORM_PATHS) {
        for (const [parameter, body] of forms) {
          const answer = await call('POST', path, {
            text: body,
            headers: { 'content-type': `multipart/form-data${parameter}` },
          })
          const said = `${path} ${parameter} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`
          assert.equal(answer.status, 400, said)
        }
      }
      assert.deepEqual(await data('GET', '/api/v1/media'), [], 'nothing of them is kept')
    })

    test('operation finding 5: a malformed Host is 400 for every path, in the shape of its owner', async () => {
      const hosts = ['a b', '[::1', 'a:99999', 'a/b', 'é', '', 'a@b', '%zz', '<x>', '256.1.1.1']
      for (const path of LISTS) {
        for (const host of path === LISTS[0] ? hosts : hosts.slice(0, 2)) {
          const answer = await raw(
            `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${KEY}\r\nConnection: close\r\n\r\n`,
          )
          assert.equal(answer.status, 400, `${path} ${host}: ${answer.text.slice(0, 200)}`)
          assert.ok(answer.headers.has('x-request-id'), path)
        }
      }
      for (const [path] of SHAPES) {
        const lines = ['Host: a b', 'Host: a\r\nHost: b', 'X-A: no host']
        for (const line of lines) {
          const head = `GET ${path} HTTP/1.1\r\n${line}\r\n${KEY}\r\nConnection: close\r\n\r\n`
          shaped(path, await raw(head), 400)
        }
      }
      const old = await raw(`GET /api/v1/articles?per_page=1 HTTP/1.0\r\n${KEY}\r\n\r\n`)
      assert.equal(old.status, 200, 'HTTP/1.0 knows no Host')
      assert.match(old.headers.get('link') ?? '', new RegExp(`^<${operation.server().url}/api/v1/`))
    })

    test('operation finding 6: beyond 4 KB of query Link is left out, and the answer is still whole', async () => {
      const asked = (length: number) =>
        call('GET', `/api/v1/articles?per_page=1&page=2&x=${'a'.repeat(length)}`)
      assert.match((await asked(3_000)).headers.get('link') ?? '', /rel="next"/)
      const long = await asked(5_000)
      assert.equal(long.status, 200)
      assert.equal(long.headers.get('link'), null)
      assert.equal(long.body.meta.total, 3)
      const keys = await call('GET', `/api/v1/keys?per_page=1&x=${'a'.repeat(5_000)}`)
      assert.deepEqual([keys.status, keys.headers.get('link')], [200, null])
    })

    test('operation finding 6: what is too large in URL and headers is 431 in the shape of its owner', async () => {
      const large = [
        `X-A: ${'a'.repeat(70_000)}`,
        `User-Agent: ${'a'.repeat(70_000)}`,
        Array.from({ length: 2_500 }, (_, at) => `a${at}: b`).join('\r\n'),
      ]
      for (const [path] of SHAPES) {
        for (const line of large) {
          const rest = ` ${path} HTTP/1.1\r\nHost: a\r\n${line}\r\nConnection: close\r\n\r\n`
          shaped(path, await raw(`GET${rest}`), 431)
          const head = await raw(`HEAD${rest}`)
          assert.deepEqual([head.status, head.text], [431, ''], path)
        }
        const url = await raw(
          `GET ${path}?x=${'a'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        )
        shaped(path, url, path.startsWith('/cms/') ? url.status : 431)
      }
      // Somebody asked the same before without the large header: no stored answer hides the refusal.
      assert.equal((await call('GET', '/api/articles', { key: null })).status, 200)
    })

    test('operation finding 6: what the parser refuses has the shape of its owner, and HEAD no body', async () => {
      for (const [path] of SHAPES) {
        const crooked = [
          ` ${path} HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n`,
          ` ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n`,
          ` ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
          ` ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${KEY}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
        ]
        for (const rest of crooked) {
          shaped(path, await raw(`POST${rest}`), 400)
          const head = await raw(`HEAD${rest}`)
          assert.deepEqual([head.status, head.text], [400, ''], rest)
        }
        shaped(path, await raw(`FOO${crooked[0]}`), 400)
        const expecting = `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n`
        shaped(path, await raw(expecting), 417)
        for (const method of ['PROPFIND', 'TRACE']) {
          const other = await raw(
            `${method} ${path} HTTP/1.1\r\nHost: x\r\n${KEY}\r\nConnection: close\r\n\r\n`,
          )
          shaped(path, other, 405)
        }
      }
    })

    test('operation finding 18: 415 says what can be sent instead', async () => {
      const cases: readonly (readonly [string, string, RegExp])[] = [
        ['POST', '/api/v1/articles', /; send application\/json$/],
        ['PATCH', '/api/v1/articles/1', /application\/json or application\/merge-patch\+json$/],
        ['POST', '/api/v1/media', /; send multipart\/form-data$/],
        ['POST', '/api/articles', /; send application\/json or multipart\/form-data$/],
      ]
      for (const [method, path, message] of cases) {
        const headers = { 'content-type': 'application/xml' }
        const { status, body, headers: told } = await call(method, path, { text: '<a/>', headers })
        assert.equal(status, 415, path)
        assert.match(body.error.message, message)
        assert.ok(told.has('accept'), path)
      }
    })

    test('operation finding 18: a singular name of a collection suggests the plural', async () => {
      const rest = await call('GET', '/api/v1/article')
      assert.equal(rest.status, 404)
      assert.match(rest.body.error.message, /did you mean \/api\/v1\/articles\?/)
      const cms = await call('GET', '/api/article/1')
      assert.equal(cms.status, 404)
      assert.match(cms.body.error.message, /did you mean \/api\/articles\?/)
      assert.match((await call('GET', '/api/homes')).body.error.message, /\/api\/home\?/)
      assert.match((await call('GET', '/api/v1/nothing')).body.error.message, /There is no route/)
    })

    test('operation finding 6: an error behind an answer that is not yet sent comes after it', async () => {
      const first = `GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`
      const second = 'GET /jsonapi/node/article HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n'
      const both = await raw(`${first}${second}`)
      assert.equal(both.status, 200)
      assert.match(both.text, /HTTP\/1\.1 400 Bad Request\r\n(.*\r\n)*\{"jsonapi"/)
    })
  })
}
