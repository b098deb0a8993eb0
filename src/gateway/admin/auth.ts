import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '#access'
import { type AccessLevel, DomainError } from '#kernel'

export interface AdminAuthDeps {
  readonly adminKey: string | undefined
  /** Finds whose key the request presents; throws the refusal of a wrong one. */
  authenticate(request: FastifyRequest): Principal | null | Promise<Principal | null>
  /** Who is signed in on our own pages; throws when the page is another site's. */
  signedIn(request: FastifyRequest): Promise<Principal | null>
  /** The level of a user, which may be above that of the key. */
  levelOf(userId: number): Promise<AccessLevel | undefined>
}

export interface Operator {
  readonly isViewer: boolean
  /** The id of a key, `static` for the static one, `user:7` for who is signed in on our pages. */
  readonly by: string
}

/** Contract §1: the static admin key, an Entrepot key of an administrator, or the sign-in of one. */
export function createAdminAuth({ adminKey, authenticate, signedIn, levelOf }: AdminAuthDeps) {
  const expected = adminKey === undefined ? undefined : digestOf(adminKey)
  return { admit, requireWrite, isStaticKey }

  function isStaticKey(request: FastifyRequest): boolean {
    const given = request.headers['x-api-key']
    return typeof given === 'string' && !!expected && timingSafeEqual(expected, digestOf(given))
  }

  async function admit(request: FastifyRequest): Promise<Operator> {
    const given = request.headers['x-api-key']
    if (typeof given !== 'string' || given === '') return admitSignedIn(request)
    if (isStaticKey(request)) return { isViewer: false, by: 'static' }
    const principal = await find(() => authenticate(request))
    if (!principal) throw unauthenticated('wrong apikey')
    request.actor = principal.actor
    const by = writerOf(principal)
    if (principal.actor.access === 'admin') return { isViewer: false, by }
    if ((await levelOf(principal.actor.userId)) === 'admin') return { isViewer: true, by }
    throw forbidden('not an operator key')
  }

  async function admitSignedIn(request: FastifyRequest): Promise<Operator> {
    const principal = await find(() => signedIn(request))
    if (!principal) throw unauthenticated('missing apikey')
    request.actor = principal.actor
    if (principal.actor.access === 'admin') return { isViewer: false, by: writerOf(principal) }
    throw forbidden('not the sign-in of an operator')
  }

  async function find(ask: () => ReturnType<AdminAuthDeps['authenticate']>) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.kind === 'unauthenticated') throw unauthenticated('wrong apikey')
      if (error.kind === 'forbidden') throw forbidden(error.message)
      throw error
    }
  }
}

export type AdminAuth = ReturnType<typeof createAdminAuth>

function writerOf({ actor }: Principal): string {
  return actor.apiKeyId === null ? `user:${actor.userId}` : String(actor.apiKeyId)
}

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
