import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Whoever sends one of these speaks for somebody else. */
const FORWARDING = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
]

export function hasForwardingHeaders(headers: IncomingHttpHeaders): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined)
}

/** The other end of the connection itself, not who it claims to speak for. */
export function isLoopbackPeer(request: FastifyRequest): boolean {
  return isLoopbackAddress(request.raw.socket.remoteAddress ?? '')
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./i.test(address)
}

/** A page of another site in the operator's browser comes from loopback too. */
export function isFromBrowserPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin !== undefined || (site !== undefined && site !== 'none')
}
