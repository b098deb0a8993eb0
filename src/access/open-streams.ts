import type { FastifyRequest } from 'fastify'
import type { Bus } from '#bus'
import type { EventStreams } from '#http'
import { byAny, createLoop, type Loop } from '#jobs'
import { type Actor, DomainError, hasAccess, type Log, type Random } from '#kernel'
import type { Authenticate } from './authenticate.ts'
import { refusalOf } from './credentials/key.ts'
import type { Directory } from './directory.ts'
import type { Principal } from './principal.ts'
import { SIGNED_OUT } from './sign-ins.ts'
import type { Users } from './users.ts'

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>
  readonly eventStreams: Pick<EventStreams, 'opened'>
  readonly authenticate: Authenticate
  readonly directory: Pick<Directory, 'findById' | 'onChange'>
  readonly users: Pick<Users, 'find'>
  readonly log: Log
  readonly random: Random
  now(): number
}

/** What ends by its time, and what nobody was told of, is found within this. */
const LOOK_EVERY_MS = 15_000
const REST_MS = 500

/** An event stream ends when its request would be refused now: it may have been open for days. */
export function watchStreams(deps: Deps): Loop {
  const { bus, eventStreams, authenticate, directory, users, log, random } = deps
  return createLoop({
    ...{ name: 'open streams', everyMs: LOOK_EVERY_MS, restMs: REST_MS, log, random, run },
    wake: byAny((look) => bus.subscribe(SIGNED_OUT, look), directory.onChange),
  })

  /** All at the same moment, so that they are looked up together: one after the other a thousand take seconds. */
  async function run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      eventStreams.opened().map(async ({ stream, request, tellsEnd }) => {
        const { actor } = request
        if (!actor || (tellsEnd && actor.apiKeyId !== null)) return
        const isOver = !(await isLetIn(request, actor))
        if (isOver && !signal.aborted) stream.end()
      }),
    )
  }

  async function isLetIn(request: FastifyRequest, actor: Actor): Promise<boolean> {
    // A ticket is used up, and what our gateway has checked is not sent on.
    const isGone = actor.kind === 'ticket' || request.forwardedActor
    try {
      const principal = isGone ? await findAgain(actor) : await authenticate(request, 'any')
      // What it shows may depend on the level it was opened with.
      return principal !== null && hasAccess(principal.actor, actor.access)
    } catch (error) {
      // Who cannot be looked up now is not refused.
      if (!(error instanceof DomainError)) throw error
      return error.kind !== 'unauthenticated' && error.kind !== 'forbidden'
    }
  }

  async function findAgain(actor: Actor): Promise<Principal | null> {
    if (actor.apiKeyId !== null) {
      const found = await directory.findById(actor.apiKeyId)
      return found && !refusalOf(found, deps.now()) ? found.known.principal : null
    }
    const user = await users.find(actor.userId)
    if (user?.status !== 'active') return null
    return { actor: { ...actor, access: user.access }, key: null }
  }
}
