import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '#access'
import { type AccessLevel, DomainError } from '#kernel'

export interface AdminAuthDeps {
  readonly adminKey: string | undefined
  /** Finds whose key the request presents; throws the refusal of a wrong one. */
  authenticate(request: FastifyRequest): Principal | null | Promise<Principal | null>
  /** The level of a user, which may be above that of the key. */
  levelOf(userId: number): Promise<AccessLevel | undefined>
}

export interface Operator {
  readonly isViewer: boolean
}

/** Contract §1: the static admin key, or an Entrepot key of an administrator. */
export function createAdminAuth({ adminKey, authenticate, levelOf }: AdminAuthDeps) {
  const expected = adminKey === undefined ? undefined : digestOf(adminKey)
  return { admit, requireWrite, isStaticKey }

  function isStaticKey(request: FastifyRequest): boolean {
    const given = request.headers['x-api-key']
    return typeof given === 'string' && !!expected && timingSafeEqual(expected, digestOf(given))
  }

  async function admit(request: FastifyRequest): Promise<Operator> {
    const given = request.headers['x-api-key']
    if (typeof given !== 'string' || given === '') throw unauthenticated('missing apikey')
    if (isStaticKey(request)) return { isViewer: false }
    const principal = await find(request)
    if (!principal) throw unauthenticated('wrong apikey')
    request.actor = principal.actor
    if (principal.actor.access === 'admin') return { isViewer: false }
    if ((await levelOf(principal.actor.userId)) === 'admin') return { isViewer: true }
    throw forbidden('not an operator key')
  }

  async function find(request: FastifyRequest): Promise<Principal | null> {
    try {
      return await authenticate(request)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.kind === 'unauthenticated') throw unauthenticated('wrong apikey')
      if (error.kind === 'forbidden') throw forbidden(error.message)
      throw error
    }
  }
}

export type AdminAuth = ReturnType<typeof createAdminAuth>

/** Viewers only look. */
function requireWrite({ isViewer }: Operator, method: string): void {
  if (isViewer && method !== 'GET' && method !== 'HEAD') {
    throw forbidden('invalid method for role viewer')
  }
}

/** Of equal length whatever was given, so that the comparison tells nothing. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function unauthenticated(description: string): DomainError {
  return new DomainError('unauthenticated', 'wrong_admin_key', 'failed to check token', {
    facts: { description },
  })
}

function forbidden(description: string): DomainError {
  return new DomainError('forbidden', 'forbidden', 'failed to check token', {
    facts: { description },
  })
}
