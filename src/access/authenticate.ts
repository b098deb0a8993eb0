import type { FastifyRequest } from 'fastify'
import { queryCredential } from '#http-text'
import { type createBasicCheck, isBasic } from './credentials/basic.ts'
import type { createCookieCheck } from './credentials/cookie.ts'
import type { createKeyCheck } from './credentials/key.ts'
import { findPresentedKey } from './credentials/presented.ts'
import type { createTicketCheck } from './credentials/ticket.ts'
import { type createTokenCheck, isAccessToken } from './credentials/token.ts'
import type { Principal } from './principal.ts'
import type { RouteAccess } from './route-config.ts'

interface Checks {
  readonly key: ReturnType<typeof createKeyCheck>
  readonly token: ReturnType<typeof createTokenCheck>
  readonly basic: ReturnType<typeof createBasicCheck>
  readonly ticket: ReturnType<typeof createTicketCheck>
  readonly cookie: ReturnType<typeof createCookieCheck>['check']
}

type MaybePromise<T> = T | Promise<T>

/**
 * Who makes the request (access contract §3, steps 1 to 5): null when no credential was presented.
 * The first credential present decides; later ones are not tried even when it is wrong.
 */
export function createAuthenticate({ key, token, basic, ticket, cookie }: Checks) {
  return (request: FastifyRequest, needed: RouteAccess): MaybePromise<Principal | null> => {
    const { forwardedActor: actor } = request
    if (actor) return { actor, key: null }
    const presented = findPresentedKey(request.headers, () => queryCredential(request, 'api_key'))
    if (presented) {
      const { value, place } = presented
      return place === 'bearer' && isAccessToken(value) ? token(value) : key(value)
    }
    const own = request.routeOptions.config.ownKey?.(request)
    const check = (value: string | undefined) =>
      value === undefined ? withoutKey(request, needed) : key(value)
    return own instanceof Promise ? own.then(check) : check(own)
  }

  function withoutKey(
    request: FastifyRequest,
    needed: RouteAccess,
  ): MaybePromise<Principal | null> {
    const { authorization } = request.headers
    if (isBasic(authorization)) {
      // There it says who the client is, and the route itself checks that.
      if (request.routeOptions.config.clientLogin) return null
      return basic(authorization, request.ip)
    }
    if (request.routeOptions.config.ticket === true) {
      const raw = queryCredential(request, 'ticket')
      if (raw !== undefined) return ticket(raw, request)
    }
    if (request.headers.cookie === undefined) return null
    return cookie(request, needed === 'none')
  }
}

export type Authenticate = ReturnType<typeof createAuthenticate>
