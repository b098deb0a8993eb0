import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Actor,
  type Clock,
  DomainError,
  type EventStream,
  type EventStreams,
  type Log,
  type Revisions,
} from '#kernel'
import { journalFull } from '../meter.ts'
import type { Boards } from './boards.ts'
import type { Figures, FiguresOf } from './figures.ts'
import { DAY_MS } from './periods.ts'
import { isSameScope, type Scope, type Scopes } from './scope.ts'
import { STREAM_TOPIC, type StreamEvent, type StreamEvents } from './stream-events.ts'

interface Deps {
  readonly eventStreams: Pick<EventStreams, 'open'>
  readonly events: Pick<StreamEvents, 'readAfter' | 'readMissed' | 'lastId'>
  readonly revisions: Pick<Revisions, 'watch'>
  readonly boards: Boards
  readonly scopes: Pick<Scopes, 'requireActive'>
  readonly figuresOf: FiguresOf
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

export interface StreamRequest {
  readonly actor: Actor
  readonly scope: Scope
  /** As the client sent it. */
  readonly lastEventId: string | undefined
}

/** What a client is told first. */
interface Missed {
  readonly events: readonly StreamEvent[]
  /** Of the snapshot that follows them. */
  readonly nextId: number
}

type EndReason = 'key_revoked' | 'key_expired' | 'shutdown'

/** One open stream, or one that is about to be. */
interface Viewer {
  readonly actor: Actor
  readonly scope: Scope
  /** Of the key that opened it; null: never. */
  expiresAtMs: number | null
  /** Null until the snapshot is there; what happens meanwhile waits. */
  stream: EventStream | null
  readonly waiting: StreamEvent[]
  /** Events up to this one are told. */
  position: number
  shown: string
}

const MAX_STREAMS = 10
const REPLAYED_MS = DAY_MS
const TICK_MS = 1_000
/**
 * Ids on the wire leave room for figures between two stored events: from any of them the last
 * stored event the client has seen can be told.
 */
const STEP = 2 ** 24

/** Access contract §7: live figures, thresholds and key changes of a scope. */
export function createUsageStreams(deps: Deps) {
  const { eventStreams, events, revisions, boards, scopes, figuresOf, clock, log } = deps
  const viewers = new Set<Viewer>()
  const seats = new Map<string, number>()
  const ends: (() => void)[] = []
  let position = 0
  return { start, stop, open }

  async function start() {
    position = await events.lastId()
    boards.start()
    ends.push(boards.stop, revisions.watch(STREAM_TOPIC, handOut, position))
    const timer = setInterval(tick, TICK_MS).unref()
    ends.push(() => clearInterval(timer))
  }

  function stop() {
    for (const end of ends.splice(0)) end()
  }

  /** Takes over the answer. The client is registered first, so that nothing falls in between. */
  async function open(request: FastifyRequest, reply: FastifyReply, asked: StreamRequest) {
    const leave = takeSeat(asked.actor)
    const viewer = createViewer(asked)
    viewers.add(viewer)
    const unwatch = boards.watch(asked.scope, (figures) => show(viewer, figures))
    const onClose = () => {
      viewers.delete(viewer)
      unwatch()
      leave()
    }
    try {
      const missed = await prepare(viewer, asked.lastEventId)
      const figures = await figuresOf(asked.scope)
      // A client that left meanwhile would never be heard to close.
      if (reply.raw.destroyed) {
        onClose()
        return reply.hijack()
      }
      if (request.meter?.record(200) === false) throw journalFull()
      const onShutdown = () => end(viewer, 'shutdown')
      viewer.stream = eventStreams.open(request, reply, { onClose, onShutdown })
      begin(viewer, missed, figures)
      return reply
    } catch (error) {
      onClose()
      throw error
    }
  }

  async function prepare(viewer: Viewer, lastEventId: string | undefined): Promise<Missed> {
    const last = await events.lastId()
    viewer.position = last
    const { apiKeyId } = viewer.actor
    if (apiKeyId !== null) viewer.expiresAtMs = (await scopes.requireActive(apiKeyId)).expiresAtMs
    const lastId = parseLastId(lastEventId, last)
    if (lastId === undefined) return { events: [], nextId: last * STEP + 1 }
    const owner = viewer.scope.userId ?? viewer.scope.keys[0]?.userId ?? viewer.actor.userId
    const seen = Math.floor(lastId / STEP)
    const missed = await events.readMissed(owner, seen, clock.now() - REPLAYED_MS)
    const told = missed.filter((event) => event.id <= last && isAbout(viewer.scope, event))
    return { events: told, nextId: Math.max(last * STEP, lastId) + 1 }
  }

  function begin(viewer: Viewer, { events, nextId }: Missed, figures: Figures) {
    for (const event of events) viewer.stream?.send(event.event, event.data, event.id * STEP)
    show(viewer, figures, nextId)
    for (const event of viewer.waiting.splice(0)) tell(viewer, event)
    // What changed since the snapshot was taken found nobody to be shown to.
    boards.touch((scope) => isSameScope(scope, viewer.scope))
  }

  function show(viewer: Viewer, figures: Figures, id?: number): boolean {
    const text = JSON.stringify(figures)
    if (!viewer.stream || text === viewer.shown) return false
    viewer.shown = text
    viewer.stream.send('usage', figures, id)
    return true
  }

  /** Called for every new event, wherever it was written, and never twice for the same. */
  async function handOut() {
    for (;;) {
      const fresh = await events.readAfter(position)
      const last = fresh.at(-1)
      if (!last) return
      for (const event of fresh) {
        for (const viewer of viewers) tell(viewer, event)
        boards.touch((scope) => isAbout(scope, event))
      }
      position = last.id
    }
  }

  function tell(viewer: Viewer, event: StreamEvent) {
    if (!viewer.stream) {
      viewer.waiting.push(event)
      return
    }
    if (event.id <= viewer.position) return
    viewer.position = event.id
    const reason = endOf(viewer, event)
    if (event.event !== 'stop' && (reason || isAbout(viewer.scope, event))) {
      viewer.stream.send(event.event, event.data, event.id * STEP)
    }
    if (reason) end(viewer, reason)
  }

  function end(viewer: Viewer, reason: EndReason) {
    viewer.stream?.send('end', { reason })
    viewer.stream?.end()
  }

  function tick() {
    boards.tick()
    for (const viewer of viewers) {
      const { expiresAtMs } = viewer
      if (expiresAtMs !== null && expiresAtMs <= clock.now()) {
        void expire(viewer).catch((err: unknown) => log.warn({ err }, 'a key could not be checked'))
      }
    }
  }

  /** Its time is over, unless it was given more in the meantime. */
  async function expire(viewer: Viewer) {
    const keyId = viewer.actor.apiKeyId
    if (keyId === null) return
    viewer.expiresAtMs = null
    try {
      viewer.expiresAtMs = (await scopes.requireActive(keyId)).expiresAtMs
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      viewer.stream?.send('key', { key_id: keyId, status: 'expired' })
      end(viewer, 'key_expired')
    }
  }

  function takeSeat({ apiKeyId, userId }: Actor): () => void {
    const name = apiKeyId === null ? `user ${userId}` : `key ${apiKeyId}`
    const taken = seats.get(name) ?? 0
    if (taken >= MAX_STREAMS) {
      const message = `At most ${MAX_STREAMS} usage streams can be open for one key`
      throw new DomainError('limited', 'too_many_streams', message)
    }
    seats.set(name, taken + 1)
    return () => {
      const left = (seats.get(name) ?? 1) - 1
      if (left > 0) seats.set(name, left)
      else seats.delete(name)
    }
  }
}

export type UsageStreams = ReturnType<typeof createUsageStreams>

function createViewer({ actor, scope }: StreamRequest): Viewer {
  return { actor, scope, expiresAtMs: null, stream: null, waiting: [], position: 0, shown: '' }
}

function isAbout({ userId, keys }: Scope, event: StreamEvent): boolean {
  if (event.keyId === null) return false
  return userId === null ? keys.some((key) => key.id === event.keyId) : userId === event.userId
}

/** Whether the event takes away what the stream was opened with. */
function endOf({ actor }: Viewer, event: StreamEvent): EndReason | undefined {
  if (event.event === 'stop' && event.userId === actor.userId) return 'key_revoked'
  if (event.event !== 'key' || event.keyId !== actor.apiKeyId) return undefined
  const status = event.data['status']
  if (status === 'active') return undefined
  return status === 'expired' ? 'key_expired' : 'key_revoked'
}

/** Undefined for an id that was never given. */
function parseLastId(text: string | undefined, last: number): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined
  const id = Number(text)
  return Math.floor(id / STEP) <= last ? id : undefined
}
