import type { FastifyRequest } from 'fastify'
import { DomainError } from '#kernel'
import type { Principal } from '../principal.ts'
import type { User } from '../records.ts'
import { userDisabled } from '../refusals.ts'
import { isCrossSite } from '../same-origin.ts'
import type { SignIns } from '../sign-ins.ts'

interface Deps {
  readonly signIns: Pick<SignIns, 'find'>
  /** Where we are seen from outside, when that is set. */
  readonly publicUrl: string | undefined
}

const COOKIE = 'entrepot_signin'

/**
 * Of `/api/v1`, for users of level `read`: elsewhere their sign-in would be a way around a plan
 * (access contract §1.3). Who may write is trusted with the content anyway.
 */
const OPEN_TO_READERS = new Set(['me', 'usage', 'keys', 'plans', 'stream-tickets', 'sign-in'])
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A cookie that is not or no longer valid is no credential: browsers send it without being asked,
 * and a page must be able to sign in again.
 */
export function createCookieCheck({ signIns, publicUrl }: Deps) {
  return { check, checkSameOrigin }

  async function check(request: FastifyRequest, isPublic: boolean): Promise<Principal | null> {
    const user = await findUser(request, SAFE_METHODS.has(request.method))
    if (user?.access !== 'read' || isOpenToReaders(request)) return toPrincipal(user)
    if (isPublic) return null
    throw keyNeeded()
  }

  /** For the administration of the gateway: pages of other sites cannot even make it answer. */
  async function checkSameOrigin(request: FastifyRequest): Promise<Principal | null> {
    return toPrincipal(await findUser(request, false))
  }

  async function findUser(request: FastifyRequest, isSafe: boolean): Promise<User | undefined> {
    const token = findToken(request)
    const found = token ? await signIns.find(token) : undefined
    if (!found) return undefined
    if (!isSafe && isCrossSite(request, publicUrl)) throw crossSite()
    if (found.user.status !== 'active') throw userDisabled()
    return found.user
  }
}

function toPrincipal(user: User | undefined): Principal | null {
  if (!user) return null
  const actor = {
    userId: user.id,
    consumerId: user.uuid,
    apiKeyId: null,
    planId: null,
    access: user.access,
    kind: 'cookie' as const,
  }
  return { actor, key: null }
}

/** Decided by the route, so that no way of writing a path makes a difference. */
export function isOpenToReaders(request: FastifyRequest): boolean {
  const [, first, version, noun = ''] = request.routeOptions.url?.split('/') ?? []
  return first === 'webhooks' || (first === 'api' && version === 'v1' && OPEN_TO_READERS.has(noun))
}

export function keyNeeded(): DomainError {
  return new DomainError('forbidden', 'key_required', 'This operation needs an API key')
}

/** A page of another site made the browser send it (access contract §6). */
export function crossSite(): DomainError {
  return new DomainError(
    'forbidden',
    'cross_site_request',
    'A sign-in cannot be used from a page of another site',
  )
}

/** As `Set-Cookie` says it; no seconds take it back. */
export function renderCookie(token: string, seconds: number, isSecure: boolean): string {
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  return [`${COOKIE}=${token}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ')
}

export function findToken(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined || !cookie.includes(COOKIE)) return undefined
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === COOKIE && value) return value
  }
  return undefined
}
