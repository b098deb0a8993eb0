import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccessLevel, DomainError, hasAccess } from '#kernel'
import type { LimitOutcome, Limits } from './limits.ts'
import { journalFull, type Meters, type UsageSink } from './meter.ts'
import type { Principal } from './principal.ts'

interface Deps {
  /** Steps 1 to 4 of access contract §3; null when no credential was presented. */
  authenticate(request: FastifyRequest): Promise<Principal | null>
  readonly limits: Limits
  readonly meters: Meters
  readonly sink: Pick<UsageSink, 'hasRoom'>
}

export interface GuardOptions {
  /** For routes that say nothing, and for paths that do not exist. */
  readonly access: AccessLevel | 'any' | 'none'
}

/**
 * What stands before every handler, in the order of access contract §3: credential, its status,
 * level, plan endpoints, limits. A refused request of a known key is recorded like any other.
 */
export function createGuard({ authenticate, limits, meters, sink }: Deps) {
  return ({ access }: GuardOptions) => ({
    onRequest: (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, access),
    onSend: meters.onSend,
  })

  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    byDefault: GuardOptions['access'],
  ) {
    const { config } = request.routeOptions
    const needed = config.access ?? byDefault
    const principal = await authenticate(request)
    if (!principal) {
      if (needed !== 'none') throw keyRequired()
      await limitAnonymous(request, reply)
      return
    }
    request.actor = principal.actor
    const { key } = principal
    if (!key) return checkLevel(principal, needed)
    if (!sink.hasRoom()) throw journalFull()

    const meter = meters.start(request, reply, key)
    checkLevel(principal, needed)
    if (config.counted === false) return
    const path = resolvedPath(request)
    if (!key.plan.permits(request.method, path)) throw notInPlan(request.method, path)
    const outcome = await limits.check(key)
    apply(outcome, reply)
    meter.count(1)
  }

  async function limitAnonymous(request: FastifyRequest, reply: FastifyReply) {
    if (request.method !== 'GET' && request.method !== 'HEAD') return
    if (request.routeOptions.config.counted === false) return
    const outcome = await limits.checkAnonymous(request.ip)
    if (outcome) apply(outcome, reply)
  }
}

export type Guard = ReturnType<typeof createGuard>

function apply({ refusal, headers }: LimitOutcome, reply: FastifyReply) {
  reply.headers(headers)
  if (refusal) throw refusal
}

function checkLevel({ actor }: Principal, needed: AccessLevel | 'any' | 'none') {
  if (needed === 'any' || needed === 'none' || hasAccess(actor, needed)) return
  const message = `This operation needs ${needed} access`
  throw new DomainError('forbidden', 'forbidden', message, { facts: { required: needed } })
}

/** The path as the router saw it: decoded except for what would become a separator. */
function resolvedPath({ raw }: FastifyRequest): string {
  const url = raw.url ?? '/'
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function keyRequired(): DomainError {
  return new DomainError('unauthenticated', 'key_required', 'API key required')
}

function notInPlan(method: string, path: string): DomainError {
  const message = `Your plan does not include ${method} ${path}`
  return new DomainError('forbidden', 'endpoint_not_allowed', message)
}
