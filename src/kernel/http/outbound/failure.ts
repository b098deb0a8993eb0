/** How a request can fail without an answer; the first eight are wire codes of webhooks contract §6. */
export type OutboundCode =
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'address_not_allowed'
  | 'redirect'
  | 'invalid_response'
  | 'too_many_redirects'
  | 'aborted'

// Users read these. They name no address: what a name resolved to here is not theirs to know.
const MESSAGES: Record<OutboundCode, string> = {
  timeout: 'No answer within the time limit',
  dns_error: 'The host name could not be resolved',
  connection_refused: 'No connection could be made',
  connection_reset: 'The connection was closed before the answer was complete',
  tls_error: 'No secure connection could be made',
  address_not_allowed: 'The address of this host is not allowed',
  redirect: 'The redirect cannot be followed',
  invalid_response: 'The answer is not valid HTTP',
  too_many_redirects: 'Too many redirects',
  aborted: 'The request was given up',
}

/** Thrown between the parts of the client only; callers of the client receive values. */
export class OutboundFailure extends Error {
  readonly code: OutboundCode
  /** A proxy was not reached or refused us: what lies behind it was not asked. */
  readonly isOfProxy: boolean

  constructor(code: OutboundCode, cause?: unknown, isOfProxy = false) {
    const detail = codeOf(cause)
    super(detail ? `${MESSAGES[code]} (${detail})` : MESSAGES[code], { cause })
    this.name = 'OutboundFailure'
    this.code = code
    this.isOfProxy = isOfProxy
  }
}

/** undici has no code of its own for a proxy that does not take our credentials. */
const PROXY_LOGIN = 'PROXY_407'
const PROXY_LOGIN_MESSAGE = /^Proxy (Authentication Required|response) \(407\)/

const CODES: Record<string, OutboundCode> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns_error', // of a proxy: other names are resolved by us
  EAI_AGAIN: 'dns_error',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  EHOSTDOWN: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  ENETDOWN: 'connection_refused',
  EADDRNOTAVAIL: 'connection_refused',
  EAFNOSUPPORT: 'connection_refused',
  EINVAL: 'connection_refused',
  EACCES: 'connection_refused',
  EPERM: 'connection_refused',
  UND_ERR_ABORTED: 'connection_refused', // the proxy answered CONNECT with a refusal
  [PROXY_LOGIN]: 'connection_refused',
  UND_ERR_PRX_CONN: 'connection_refused',
  UND_ERR_PRX_TLS: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
}

const TLS_CODE = /^(EPROTO|ERR_(TLS|SSL|OSSL)_.*|.*(CERT|ISSUER|CRL|SIGNATURE|HOSTNAME|_CA\b).*)$/

/**
 * The failure behind an error of the network. Any other error is rethrown: it is our own fault
 * (a wrong argument, no file descriptor left) and must not be counted against the other side.
 */
export function toFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const code = codeOf(error) ?? ''
  if (isBadAnswer(error, code)) return new OutboundFailure('invalid_response', error)
  const known = CODES[code]
  if (known) return new OutboundFailure(known, error, code === PROXY_LOGIN)
  if (TLS_CODE.test(code)) return new OutboundFailure('tls_error', error)
  throw error
}

/**
 * The same of an error on the way to a proxy, before it was asked for anything. Any other error is answered as it is:
 * nobody catches what a listener throws.
 */
export function toProxyFailure(error: Error): Error {
  try {
    const { code, cause } = toFailure(error)
    return new OutboundFailure(code, cause, true)
  } catch {
    return error
  }
}

/** Parsers have their own codes or none, and an unexpected upgrade or message looks like a broken socket. */
function isBadAnswer(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'HTTPParserError' ||
    code.startsWith('HPE_') ||
    (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad '))
  )
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (PROXY_LOGIN_MESSAGE.test(error.message)) return PROXY_LOGIN
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
