import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bus } from '#bus'
import { type Event, type EventReader, SEQUENCED_TOPIC } from '#events'
import type { EventStream, EventStreams } from '#http'
import { type Actor, type Clock, DomainError, type Log } from '#kernel'
import { isShownTo } from './audience.ts'
import type { EventTypes } from './event-types.ts'
import type { Consumer } from './records.ts'
import { renderMessage } from './streamed.ts'
import { parseEventId, renderEventId } from './wire-ids.ts'

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>
  readonly events: Pick<
    EventReader,
    'readEvents' | 'findEvent' | 'isUnsequenced' | 'lastSeq' | 'oldestSeq'
  >
  readonly eventTypes: EventTypes
  readonly eventStreams: Pick<EventStreams, 'open'>
  readonly log: Log
  readonly clock: Clock
  /** Called when credentials change; `concerns` tells whether it is one of the actor's. */
  onAccessChange(listener: (concerns: (actor: Actor) => boolean) => void): () => void
  /** How long the secret works that a request was let in by; null when it was not rotated out. */
  secretEndOf(request: FastifyRequest): Promise<number | null>
  /** The usage record of an answer that is taken over; false when it cannot be kept. */
  recordUsage(request: FastifyRequest): boolean
  settings(): { readonly maxPayloadBytes: number }
}

interface Asked {
  readonly actor: Actor
  readonly consumer: Consumer
  /** Null: all that the consumer may see. */
  readonly types: readonly string[] | null
  readonly lastEventId: string | undefined
}

interface Viewer {
  readonly asked: Asked
  readonly stream: EventStream
  /** A secret that was rotated out opens it again until its grace is over. */
  readonly endsAtMs: number | null
  position: number
  wake: (() => void) | undefined
}

const MAX_STREAMS = 10
const PAGE = 100
/** A lost notice costs no more than this. */
const LOOK_EVERY_MS = 1_000
/** An event gets its number within moments, unless nobody gives any at present. */
const NUMBER_WITHIN_MS = 10_000
/** What a message has beside its payload, and what waits before it. */
const BESIDE_PAYLOAD_BYTES = 64 * 1024

/** Webhooks contract §11: events as they happen, without a gap for whoever comes back. */
export function createLiveFeed(deps: Deps) {
  const { bus, events, eventTypes, eventStreams, log } = deps
  const viewers = new Set<Viewer>()
  const seats = new Map<string, number>()
  /** Those who wait for the next number. */
  const waiting = new Set<() => void>()
  const ends = [
    bus.subscribe(SEQUENCED_TOPIC, wakeAll),
    deps.onAccessChange(endConcerned),
    every(LOOK_EVERY_MS, look),
  ]
  return { open, close, size: () => viewers.size }

  async function open(request: FastifyRequest, reply: FastifyReply, asked: Asked) {
    if (asked.types) await eventTypes.requireActive(asked.types)
    const leave = takeSeat(asked.consumer.id)
    try {
      const { position, isGap } = await startOf(asked.lastEventId)
      const endsAtMs = await deps.secretEndOf(request)
      // A client that left meanwhile would never be heard to close.
      if (reply.raw.destroyed) {
        leave()
        return reply.hijack()
      }
      if (!deps.recordUsage(request)) throw usageUnavailable()
      const stream = eventStreams.open(request, reply, {
        minBacklogBytes: deps.settings().maxPayloadBytes + BESIDE_PAYLOAD_BYTES,
        onClose: () => gone(viewer, leave),
      })
      const viewer: Viewer = { asked, stream, endsAtMs, position, wake: undefined }
      viewers.add(viewer)
      if (isGap) stream.send('gap', { last_event_id: asked.lastEventId }, null)
      void follow(viewer).catch((error) => {
        log.error({ err: error }, 'an event stream ended early')
        stream.end()
      })
    } catch (error) {
      leave()
      throw error
    }
    return reply
  }

  /** Where a client continues; an id that is not kept any more means from the oldest that is. */
  async function startOf(lastEventId: string | undefined) {
    if (lastEventId === undefined) return { position: await events.lastSeq(), isGap: false }
    const id = parseEventId(lastEventId)
    const found = id === undefined ? undefined : await findNumbered(id)
    if (found) return { position: found.seq, isGap: false }
    return { position: (await events.oldestSeq()) - 1, isGap: true }
  }

  /** What was answered by a publication just now is known, though its number is still to come. */
  async function findNumbered(id: string): Promise<Event | undefined> {
    const endMs = performance.now() + NUMBER_WITHIN_MS
    for (;;) {
      const numbered = nextNumber()
      const found = await events.findEvent(id)
      if (found) return found
      // Asked afterwards: it may have got its number between the two questions.
      if (!(await events.isUnsequenced(id))) return events.findEvent(id)
      if (performance.now() > endMs) throw numbersUnavailable()
      await numbered
    }
  }

  function nextNumber(): Promise<void> {
    return new Promise((resolve) => waiting.add(resolve))
  }

  async function follow(viewer: Viewer) {
    const { stream, asked } = viewer
    while (stream.isOpen) {
      const types = asked.types ? { types: asked.types } : {}
      const woken = new Promise<void>((resolve) => {
        viewer.wake = resolve
      })
      const page = await events.readEvents({ after: viewer.position, limit: PAGE, ...types })
      await show(viewer, page.events)
      viewer.position = page.through
      await stream.drained()
      if (page.through >= page.last && stream.isOpen) await woken
    }
  }

  async function show({ stream, asked }: Viewer, page: readonly Event[]) {
    if (page.length === 0) return
    const names = [...new Set(page.map(({ type }) => type))]
    const known = await eventTypes.visibilities(names)
    const visibilities = new Map(known.map(({ name, visibility }) => [name, visibility]))
    for (const event of page) {
      const visibility = visibilities.get(event.type)
      if (!visibility || !isShownTo(event, visibility, asked.consumer)) continue
      stream.send(event.type, renderMessage(event), renderEventId(event.id))
      await stream.drained()
    }
  }

  function takeSeat(consumerId: string): () => void {
    const taken = seats.get(consumerId) ?? 0
    if (taken >= MAX_STREAMS) {
      const message = `At most ${MAX_STREAMS} event streams can be open for one consumer`
      throw new DomainError('limited', 'too_many_streams', message)
    }
    seats.set(consumerId, taken + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (seats.get(consumerId) ?? 1) - 1
      if (left > 0) seats.set(consumerId, left)
      else seats.delete(consumerId)
    }
  }

  function gone(viewer: Viewer, leave: () => void) {
    viewers.delete(viewer)
    leave()
    viewer.wake?.()
  }

  function look() {
    for (const { endsAtMs, stream } of viewers) {
      if (endsAtMs !== null && endsAtMs <= deps.clock.now()) stream.end()
    }
    wakeAll()
  }

  function wakeAll() {
    for (const viewer of viewers) viewer.wake?.()
    for (const resume of waiting) resume()
    waiting.clear()
  }

  /** The client comes back with the same credential, and is refused if that no longer holds. */
  function endConcerned(concerns: (actor: Actor) => boolean) {
    for (const { asked, stream } of viewers) if (concerns(asked.actor)) stream.end()
  }

  function close() {
    for (const end of ends) end()
  }
}

export type LiveFeed = ReturnType<typeof createLiveFeed>

function numbersUnavailable(): DomainError {
  const message = 'The event was stored and has no place in the stream yet; try again'
  const headers = { 'retry-after': '1' }
  return new DomainError('unavailable', 'event_not_numbered', message, { headers })
}

function usageUnavailable(): DomainError {
  return new DomainError('unavailable', 'usage_unavailable', 'Usage cannot be recorded right now')
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}
