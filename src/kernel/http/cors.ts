import type { FastifyReply, FastifyRequest } from 'fastify'

export interface CorsOptions {
  /** Exactly these, for example `https://shop.example`; all when `*` is among them. */
  readonly origins: '*' | readonly string[]
  /** Whether browsers may send cookies; only for listed origins. */
  readonly credentials?: boolean
}

/** What scripts of other origins may read (REST conventions §10, access contract §4). */
const EXPOSED = [
  'Link',
  'Location',
  'X-Total-Count',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Window',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'API-Version',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'X-Ignored-Parameters',
  'X-Request-Id',
].join(', ')

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/
// Browsers keep a preflight no longer than this.
const MAX_AGE_SECONDS = '7200'

export function createCors({ origins, credentials = false }: CorsOptions) {
  const isOpen = origins === '*' || origins.includes('*')
  if (isOpen && credentials) throw new Error('CORS with credentials needs a list of origins')
  const listed = new Set(isOpen ? [] : origins)
  return { allow, answerPreflight }

  /**
   * Sets what every answer carries. The open form is the same for everyone, so that a cache may
   * give it to anyone; the long list goes only to browsers, and a revalidation brings it to them.
   */
  function allow(request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers
    if (isOpen) reply.header('access-control-allow-origin', '*')
    else reply.header('vary', 'Origin')
    if (origin === undefined || !(isOpen || listed.has(origin))) return
    if (!isOpen) reply.header('access-control-allow-origin', origin)
    if (credentials) reply.header('access-control-allow-credentials', 'true')
    reply.header('access-control-expose-headers', EXPOSED)
  }

  /** True when the request was a preflight and is answered; no credential is asked for it. */
  function answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
    const { headers } = request
    if (headers.origin === undefined) return false
    if (headers['access-control-request-method'] === undefined) return false
    const asked = headers['access-control-request-headers']
    reply.header('access-control-allow-methods', METHODS)
    reply.header('access-control-max-age', MAX_AGE_SECONDS)
    if (asked !== undefined && HEADER_NAMES.test(asked)) {
      reply.header('access-control-allow-headers', asked)
    }
    reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
    reply.removeHeader('access-control-expose-headers')
    reply.code(204).send()
    return true
  }
}

export type Cors = ReturnType<typeof createCors>
