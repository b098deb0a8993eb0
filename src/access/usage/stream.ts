import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Revisions } from '#bus'
import type { EventStreams } from '#http'
import { type Actor, type Clock, DomainError, type Log } from '#kernel'
import { journalFull } from '../meter.ts'
import { keyRotated } from '../refusals.ts'
import type { Boards } from './boards.ts'
import type { FiguresOf } from './figures.ts'
import { DAY_MS } from './periods.ts'
import { isSameScope, type Scope, type Scopes } from './scope.ts'
import type { Seats } from './seats.ts'
import { STREAM_TOPIC, type StreamEvents } from './stream-events.ts'
import {
  type Beginning,
  createViewer,
  idAfter,
  isAbout,
  parseLastId,
  type Viewer,
} from './viewer.ts'

interface Deps {
  readonly eventStreams: Pick<EventStreams, 'open'>
  readonly events: Pick<StreamEvents, 'readAfter' | 'readMissed' | 'lastId'>
  readonly revisions: Pick<Revisions, 'watch'>
  readonly boards: Boards
  readonly scopes: Pick<Scopes, 'requireActive'>
  readonly figuresOf: FiguresOf
  secretEndOf(request: FastifyRequest): Promise<number | null>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly seats: Seats
}

interface StreamRequest {
  readonly actor: Actor
  readonly scope: Scope
  /** As the client sent it. */
  readonly lastEventId: string | undefined
}

const REPLAYED_MS = DAY_MS
const TICK_MS = 1_000

/** Access contract §7: live figures, thresholds and key changes of a scope. */
export function createUsageStreams(deps: Deps) {
  const { eventStreams, events, revisions, boards, scopes, figuresOf, clock, log, seats } = deps
  const { secretEndOf } = deps
  /** With the instant at which the key they were opened with expires, or its secret. */
  const viewers = new Map<Viewer, number | null>()
  const requests = new WeakMap<Viewer, FastifyRequest>()
  const ends: (() => void)[] = []
  let position = 0
  return { start, stop, open, doubt }

  async function start() {
    position = await events.lastId()
    boards.start()
    seats.start()
    ends.push(boards.stop, revisions.watch(STREAM_TOPIC, handOut, position))
    const timer = setInterval(tick, TICK_MS).unref()
    ends.push(() => clearInterval(timer))
  }

  async function stop() {
    for (const end of ends.splice(0)) end()
    await seats.stop()
  }

  /** Takes over the answer. The client is registered first, so that nothing falls in between. */
  async function open(request: FastifyRequest, reply: FastifyReply, asked: StreamRequest) {
    const leave = await seats.take(asked.actor)
    const viewer = createViewer(asked)
    viewers.set(viewer, null)
    requests.set(viewer, request)
    const unwatch = boards.watch(asked.scope, viewer.show)
    const onClose = () => {
      viewers.delete(viewer)
      unwatch()
      leave()
    }
    try {
      const beginning = await beginningOf(asked)
      // After that, because a revocation before it is not told any more.
      viewers.set(viewer, await expiryOf(viewer))
      // A client that left meanwhile would never be heard to close.
      if (reply.raw.destroyed) {
        onClose()
        return reply.hijack()
      }
      if (request.meter?.record(200) === false) throw journalFull()
      const onShutdown = () => viewer.end('shutdown')
      viewer.letIn(
        eventStreams.open(request, reply, { onClose, onShutdown, tellsEnd: true }),
        beginning,
      )
    } catch (error) {
      onClose()
      throw error
    }
    // What changed since the snapshot was taken found nobody to be shown to.
    boards.touch((scope) => isSameScope(scope, asked.scope))
    return reply
  }

  async function beginningOf({ actor, scope, lastEventId }: StreamRequest): Promise<Beginning> {
    const last = await events.lastId()
    const figures = await figuresOf(scope)
    const client = parseLastId(lastEventId, last)
    const begin = { figures, figuresId: idAfter(last, client?.id), position: last }
    if (!client) return { ...begin, events: [] }
    const owner = scope.userId ?? scope.keys[0]?.userId ?? actor.userId
    const missed = await events.readMissed(owner, client.seen, clock.now() - REPLAYED_MS)
    const told = missed.filter((event) => event.id <= last && isAbout(scope, event))
    return { ...begin, events: told }
  }

  /** Called for every new event, wherever it was written, and never twice for the same. */
  async function handOut() {
    for (;;) {
      const fresh = await events.readAfter(position)
      const last = fresh.at(-1)
      if (!last) return
      for (const event of fresh) {
        for (const viewer of viewers.keys()) viewer.tell(event)
        boards.touch((scope) => isAbout(scope, event))
      }
      position = last.id
    }
  }

  /** Of these keys, or of all of them, anything may have changed: a rotation gives the old secret an end. */
  function doubt(keyIds?: ReadonlySet<number>) {
    for (const viewer of viewers.keys()) {
      const { apiKeyId } = viewer.actor
      if (apiKeyId !== null && (keyIds?.has(apiKeyId) ?? true)) viewers.set(viewer, 0)
    }
  }

  function tick() {
    boards.tick()
    for (const [viewer, expiresAtMs] of viewers) {
      if (expiresAtMs === null || expiresAtMs > clock.now()) continue
      checkExpiry(viewer).catch((err: unknown) => log.warn({ err }, 'a key could not be checked'))
    }
  }

  /** Its time is over, unless it was given more in the meantime. */
  async function checkExpiry(viewer: Viewer) {
    try {
      const expiresAtMs = await expiryOf(viewer)
      if (viewers.has(viewer)) viewers.set(viewer, expiresAtMs)
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'forbidden') throw error
      if (error.code === 'key_rotated') viewer.end('key_revoked')
      else if (viewer.actor.apiKeyId !== null) viewer.tellExpiry(viewer.actor.apiKeyId)
    }
  }

  /** Refuses a key that has ended since it was let through, and a secret of it that has. */
  async function expiryOf(viewer: Viewer): Promise<number | null> {
    const { apiKeyId } = viewer.actor
    if (apiKeyId === null) return null
    const { expiresAtMs } = await scopes.requireActive(apiKeyId)
    const request = requests.get(viewer)
    const secretEndMs = request ? await secretEndOf(request) : null
    if (secretEndMs !== null && secretEndMs <= clock.now()) throw keyRotated()
    const ends = [expiresAtMs, secretEndMs].filter((atMs) => atMs !== null)
    return ends.length === 0 ? null : Math.min(...ends)
  }
}

export type UsageStreams = ReturnType<typeof createUsageStreams>
