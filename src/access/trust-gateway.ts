import type { FastifyRequest } from 'fastify'
import type { Clock } from '#kernel'
import { FORWARDED_HEADER, verifyForwarded } from './forwarded.ts'

interface Deps {
  /** Of our own gateways; without one nobody is believed. */
  readonly secrets: readonly string[]
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Trusts our own gateway in what it says of a request: the client's address, the scheme and host it used,
 * and, when it was sold there, who calls. Such a request is not authenticated, counted or recorded again (gateway contract §3.1).
 */
export function createTrustGateway({ secrets, clock }: Deps) {
  return (request: FastifyRequest): boolean => {
    const header = request.headers[FORWARDED_HEADER]
    if (typeof header !== 'string') return false
    const { method, originalUrl: target } = request
    const found = verifyForwarded(secrets, header, { method, target, nowMs: clock.now() })
    if (!found) return false
    // The framework knows addresses of connections and of trusted proxies only.
    Object.defineProperty(request, 'ip', { value: found.address })
    // A gateway of an earlier version says nothing of these.
    if (found.scheme) Object.defineProperty(request, 'protocol', { value: found.scheme })
    if (found.host) Object.defineProperty(request, 'host', { value: found.host })
    request.forwardedActor = found.actor
    return true
  }
}
