import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFault, parseRequest } from './parse-request.ts'
import { passedTrailers, renderLastChunk, wantsTrailers } from './trailers.ts'

test('trailers that decide about a message, a connection or a caller are not passed on', () => {
  const given = [
    ...['X-Sum', '1', 'Grpc-Status', '0', 'x-sum', '2'],
    ...['Authorization', 'x', 'Set-Cookie', 'a=b', 'Content-Type', 'text/html', 'Host', 'a'],
    ...['X-Consumer-Username', 'jack', 'X-Forwarded-For', '1.2.3.4', 'X-Request-Id', 'x'],
    ...['Connection', 'close', 'Keep-Alive', '1', 'Proxy-Authorization', 'x', 'X-Plan-Id', '1'],
  ]
  assert.deepEqual(passedTrailers(given), ['X-Sum', '1', 'Grpc-Status', '0', 'x-sum', '2'])
  assert.deepEqual(passedTrailers(given, new Map([['x-sum', null]])), ['Grpc-Status', '0'])
  assert.equal(renderLastChunk(['A', '1', 'b', '']), '0\r\nA: 1\r\nb: \r\n\r\n')
  assert.equal(renderLastChunk([]), '0\r\n\r\n')
})

test('a client asks for trailers with TE', () => {
  const wants = (...lines: string[]) => {
    const head = parseRequest(['GET / HTTP/1.1', 'Host: a', ...lines].join('\r\n'))
    return !isFault(head) && wantsTrailers(head)
  }
  assert.equal(wants(), false)
  assert.equal(wants('TE: gzip'), false)
  assert.equal(wants('te: Trailers'), true)
  assert.equal(wants('TE: gzip', 'TE: deflate, trailers'), true)
})
