import type { EventStream } from '#http'
import type { Actor } from '#kernel'
import type { Figures } from './figures.ts'
import type { Scope } from './scope.ts'
import type { StreamEvent } from './stream-events.ts'

export type EndReason = 'key_revoked' | 'key_expired' | 'shutdown'

/** What a client is told first. */
export interface Beginning {
  /** What it missed. */
  readonly events: readonly StreamEvent[]
  readonly figures: Figures
  /** Of the figures, which follow the events. */
  readonly figuresId: number
  /** Every event up to this one is told, or does not concern the client. */
  readonly position: number
}

/**
 * Ids on the wire leave room for figures between two stored events: from any of them the last
 * stored event that the client has seen can be told.
 */
const STEP = 2 ** 24

/** Who watches a scope. Until it is let in, events wait and figures are left out. */
export function createViewer({ actor, scope }: { actor: Actor; scope: Scope }) {
  const waiting: StreamEvent[] = []
  let stream: EventStream | null = null
  let position = 0
  let shown = ''
  return { actor, scope, letIn, show, tell, tellExpiry, end }

  function letIn(opened: EventStream, beginning: Beginning) {
    stream = opened
    position = beginning.position
    for (const event of beginning.events) send(event)
    show(beginning.figures, beginning.figuresId)
    for (const event of waiting.splice(0)) tell(event)
  }

  /** True when they were new to it. */
  function show(figures: Figures, id?: number): boolean {
    const text = JSON.stringify(figures)
    if (!stream || text === shown) return false
    shown = text
    stream.send('usage', figures, id)
    return true
  }

  /** An event that takes away what the stream was opened with is the last but one. */
  function tell(event: StreamEvent) {
    if (!stream) {
      waiting.push(event)
      return
    }
    if (event.id <= position) return
    position = event.id
    const reason = endOf(actor, event)
    if (event.event !== 'stop' && (reason || isAbout(scope, event))) send(event)
    if (reason) end(reason)
  }

  /** The stored status follows later, and its event with it. */
  function tellExpiry(keyId: number) {
    stream?.send('key', { key_id: keyId, status: 'expired' })
    end('key_expired')
  }

  function end(reason: EndReason) {
    stream?.send('end', { reason })
    stream?.end()
  }

  function send({ event, data, id }: StreamEvent) {
    stream?.send(event, data, id * STEP)
  }
}

export type Viewer = ReturnType<typeof createViewer>

export function isAbout({ userId, keys }: Scope, event: StreamEvent): boolean {
  if (event.keyId === null || event.event === 'stop') return false
  return userId === null ? keys.some((key) => key.id === event.keyId) : userId === event.userId
}

/** The id of figures that follow the stored event `last`, and the client's own last id. */
export function idAfter(last: number, clientId = 0): number {
  return Math.max(last * STEP, clientId) + 1
}

/** The client's id and the stored event it has seen last; undefined for an id never given. */
export function parseLastId(text: string | undefined, last: number) {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined
  const id = Number(text)
  const seen = Math.floor(id / STEP)
  return seen <= last ? { id, seen } : undefined
}

function endOf(actor: Actor, event: StreamEvent): EndReason | undefined {
  if (event.event === 'stop') return isStopped(actor, event) ? 'key_revoked' : undefined
  if (event.event !== 'key' || event.keyId !== actor.apiKeyId) return undefined
  const status = event.data['status']
  if (status === 'active') return undefined
  return status === 'expired' ? 'key_expired' : 'key_revoked'
}

/** Without a key it stops all that the user has opened. */
function isStopped({ userId, apiKeyId }: Actor, event: StreamEvent): boolean {
  return event.keyId === null ? event.userId === userId : event.keyId === apiKeyId
}
