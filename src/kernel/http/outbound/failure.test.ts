import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OutboundCode, OutboundFailure, toFailure } from './failure.ts'

function errorWith(code: string, message = 'connect 10.1.2.3:80'): Error {
  return Object.assign(new Error(message), { code })
}

test('network errors get the codes of the contract', () => {
  const expected: Record<string, OutboundCode> = {
    ETIMEDOUT: 'timeout',
    ECONNREFUSED: 'connection_refused',
    EHOSTUNREACH: 'connection_refused',
    ECONNRESET: 'connection_reset',
    EPIPE: 'connection_reset',
    UND_ERR_SOCKET: 'connection_reset',
    UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_error',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_error',
    CERT_HAS_EXPIRED: 'tls_error',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls_error',
    ERR_SSL_WRONG_VERSION_NUMBER: 'tls_error',
    EPROTO: 'tls_error',
  }
  for (const [code, wanted] of Object.entries(expected)) {
    assert.equal(toFailure(errorWith(code)).code, wanted, code)
  }
  assert.equal(toFailure(errorWith('UND_ERR_SOCKET', 'bad upgrade')).code, 'invalid_response')
})

test('the failure of several addresses is that of the first', () => {
  const error = new AggregateError([errorWith('ECONNREFUSED'), errorWith('ENETUNREACH')])
  assert.equal(toFailure(error).code, 'connection_refused')
})

test('messages name the reason and never an address', () => {
  const { message } = toFailure(errorWith('ECONNREFUSED'))
  assert.equal(message, 'No connection could be made (ECONNREFUSED)')
})

test('our own faults are not blamed on the other side', () => {
  for (const error of [
    new TypeError('undefined is not a function'),
    errorWith('UND_ERR_INVALID_ARG'),
    errorWith('EMFILE'),
    errorWith('ERR_INVALID_ARG_TYPE'),
    errorWith('ERR_ASSERTION'),
  ]) {
    assert.throws(
      () => toFailure(error),
      (thrown) => thrown === error,
    )
  }
})

test('a failure stays what it is', () => {
  const failure = new OutboundFailure('dns_error')
  assert.equal(toFailure(failure), failure)
})
