import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MountGuard } from '#http'
import type { AccessLevel } from '#kernel'
import type { Authenticate } from './authenticate.ts'
import { routedPath } from './endpoints.ts'
import type { LimitOutcome, Limits } from './limits.ts'
import { journalFull, type UsageSink } from './meter.ts'
import type { Meters } from './metered-answers.ts'
import type { Principal } from './principal.ts'
import { keyRequired, notInPlan, requireAccess } from './refusals.ts'
import type { OwnCredential, RouteAccess } from './route-config.ts'

type MaybePromise<T> = T | Promise<T>

interface Deps {
  /** Steps 1 to 4 of access contract §3; null when no credential was presented. */
  readonly authenticate: Authenticate
  readonly limits: Limits
  readonly meters: Meters
  readonly sink: Pick<UsageSink, 'hasRoom'>
}

/**
 * What stands before every handler, in the order of access contract §3: credential, its status,
 * level, plan endpoints, limits. A refused request of a known key is recorded like any other.
 */
export function createGuard({ authenticate, limits, meters, sink }: Deps) {
  return (unknownPaths: RouteAccess, own?: OwnCredential): MountGuard => ({
    onRequest(request, reply, done) {
      let waiting: Promise<void> | void
      try {
        waiting = admit(request, reply, neededBy(request, unknownPaths), own)
      } catch (error) {
        waiting = Promise.reject(error)
      }
      if (waiting) return waiting
      done()
    },
    onSend: meters.onSend,
  })

  /** At once where nothing has to be asked for: each promise on the way costs every request. */
  function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    needed: RouteAccess,
    own: OwnCredential | undefined,
  ) {
    if (request.routeOptions.config.signsIn) return enter(request, reply, needed, null)
    const presented = request.forwardedActor ? undefined : own?.(request)
    const found = presented ?? authenticate(request, needed)
    if (!(found instanceof Promise)) return enter(request, reply, needed, found)
    return found.then((principal) => enter(request, reply, needed, principal))
  }

  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    needed: RouteAccess,
    principal: Principal | null,
  ): MaybePromise<void> {
    if (!principal) {
      if (needed === 'form') return limitForm(request, reply)
      if (needed !== 'none') throw keyRequired()
      return limitAnonymous(request, reply)
    }
    request.actor = principal.actor
    const { key } = principal
    if (key) {
      if (!sink.hasRoom()) throw journalFull()
      meters.start(request, reply, key)
    }
    if (isLevel(needed)) requireAccess(principal, needed)
    if (!key || request.routeOptions.config.counted === false) return
    const path = routedPath(request.raw.url ?? '/')
    if (!key.plan.permits(request.method, path)) throw notInPlan(request.method, path)
    const outcome = limits.check(key)
    if (!(outcome instanceof Promise)) return count(request, reply, outcome)
    return outcome.then((decided) => count(request, reply, decided))
  }

  function count(request: FastifyRequest, reply: FastifyReply, outcome: LimitOutcome): void {
    apply(outcome, reply)
    request.meter?.count(1, outcome)
  }

  async function limitForm(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const outcome = await limits.checkAnonymousWrite(request.ip)
    if (outcome) apply(outcome, reply)
  }

  function limitAnonymous(request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.routeOptions.config.counted === false) return
    return limits.checkAnonymous(request.ip)?.then((outcome) => apply(outcome, reply))
  }
}

function isLevel(needed: RouteAccess): needed is AccessLevel {
  return needed !== 'any' && needed !== 'none' && needed !== 'form'
}

/** A route that says nothing is for nobody but admins. */
function neededBy(request: FastifyRequest, unknownPaths: RouteAccess): RouteAccess {
  const { access } = request.routeOptions.config
  if (typeof access === 'function') return access(request)
  return access ?? (request.is404 ? unknownPaths : 'admin')
}

function apply({ refusal, headers }: LimitOutcome, reply: FastifyReply) {
  reply.headers(headers)
  if (refusal) throw refusal
}
