import { EntrepotError } from './error.ts'
import { pause } from './pause.ts'
import type { Send } from './request.ts'
import type { WebhookEvent } from './webhooks.ts'

export interface EventOptions {
  /** Names of event types; all that may be seen when absent. */
  readonly types?: readonly string[]
  /** The last event of an earlier time: what came after it comes first. */
  readonly lastEventId?: string
  /** Ends the iteration; without it, `break` does at the next event. */
  readonly signal?: AbortSignal
}

/**
 * An event, or `gap`: the server does not keep the last event any more, so that others may be missing
 * before those that follow; read anew what you mirror.
 */
export type LiveEvent<Data = Readonly<Record<string, unknown>>> =
  | ({ readonly kind: 'event' } & WebhookEvent<Data>)
  | { readonly kind: 'gap'; readonly lastEventId: string }

const FIRST_PAUSE_MS = 3_000

/** Server-sent events by `fetch`, because an `EventSource` can send no key. */
export async function* followEvents<Data>(
  send: Send,
  { types, lastEventId, signal }: EventOptions,
): AsyncGenerator<LiveEvent<Data>, void, undefined> {
  let last = lastEventId ?? ''
  let pauseMs = FIRST_PAUSE_MS
  let hasOpened = false
  while (!signal?.aborted) {
    // Whoever stops in the middle closes the connection.
    const own = new AbortController()
    const stop = () => own.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const query = {
        ...(types ? { events: types.join(',') } : {}),
        ...(last ? { last_event_id: last } : {}),
      }
      const response = await send('GET', '/webhooks/stream', { query, signal: own.signal })
      hasOpened = true
      for await (const { event, id, data, retry } of messagesOf(response)) {
        if (retry) pauseMs = retry
        if (!data) continue
        if (event === 'gap') yield { kind: 'gap', lastEventId: last }
        else yield { kind: 'event', ...JSON.parse(data) }
        // Only now has the caller dealt with it.
        if (id) last = id
      }
    } catch (error) {
      if (signal?.aborted) return
      // A refusal is final, those that pass have been waited for; and what never worked is a mistake.
      if (!hasOpened || (error instanceof EntrepotError && error.status < 500)) throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      own.abort()
    }
    await pause(pauseMs, signal).catch(() => {})
  }
}

interface Message {
  readonly event: string
  readonly id: string
  readonly data: string
  readonly retry: number
}

async function* messagesOf({ body }: Response): AsyncGenerator<Message> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
    if (done) return
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield parseMessage(block)
  }
}

function parseMessage(block: string): Message {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trim())
  }
  const of = (name: string) => fields.get(name) ?? ''
  return { event: of('event'), id: of('id'), data: of('data'), retry: Number(of('retry')) }
}
