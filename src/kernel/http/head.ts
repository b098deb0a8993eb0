import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'

/** Node keeps this many headers of a request and drops the others without a word. */
const MOST_HEADERS = 2_000
/** Between name and value, and at the end of the line. */
const AROUND_HEADER = 4
const HOST = 'host'

/**
 * What is wrong with a request whatever its path is: a head that is too large, a `Host` that names no
 * host (RFC 9110 §7.2), an expectation nobody can meet. Every URL in an answer begins with the host.
 */
export function createHeadCheck(maxBytes: number) {
  /** The same for almost all requests, and slow to look at. */
  let goodHost: string | undefined
  return findFault

  function findFault(request: FastifyRequest): DomainError | undefined {
    const { raw, host } = request
    if (raw.rawHeaders.length >= 2 * MOST_HEADERS) return headersTooLarge()
    const { bytes, hosts } = weigh(raw)
    if (bytes > maxBytes) return headersTooLarge()
    if (hosts > 1) return badHost('The Host header is given more than once')
    if (host !== goodHost && !isHost(host)) return badHost('The Host header is not a host and port')
    goodHost = host
    const { expect } = raw.headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return unmetExpectation()
    return undefined
  }
}

/** Request line and headers together, in one pass; the parser's own limit is higher, so that it rarely answers. */
function weigh({ url = '', rawHeaders }: IncomingMessage): { bytes: number; hosts: number } {
  let bytes = url.length + rawHeaders.length * (AROUND_HEADER / 2)
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    bytes += name.length + (rawHeaders[at + 1]?.length ?? 0)
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  return { bytes, hosts }
}

/** HTTP/1.0 knows no `Host`: such a client named us by the address it is connected to. */
export function completeHost({ headers, httpVersion, socket }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersion !== '1.0') return
  const { localAddress, localPort } = socket
  const shown = localAddress?.includes(':') ? `[${localAddress}]` : localAddress
  headers.host = shown === undefined ? 'localhost' : `${shown}:${localPort}`
}

export function headersTooLarge(): DomainError {
  const message = 'The URL and headers are too large'
  return new DomainError('headers_too_large', 'headers_too_large', message)
}

function isHost(text: string): boolean {
  return (
    /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(:\d*)?$/i.test(text) && URL.canParse(`http://${text}`)
  )
}

function badHost(message: string): DomainError {
  return new DomainError('invalid', 'invalid_host', message)
}

function unmetExpectation(): DomainError {
  const message = 'The only expectation that can be met is 100-continue'
  return new DomainError('expectation_failed', 'expectation_failed', message)
}
