import { useEffect, useState } from 'react'
import { send } from './client.ts'
import { ApiError } from './errors.ts'

/** What was used and what is left. */
export interface Figures {
  readonly today: number
  readonly month: number
  readonly monthLimit: number | null
  readonly avgResponseMs: number
  readonly remaining: number | null
  readonly minute: number
  readonly minuteLimit: number | null
  readonly rejectedToday: number
  readonly resetsAt: string
}

export interface Threshold {
  readonly percent: number
  readonly used: number
  readonly limit: number
}

/** Whose usage: of one key, by the key itself or as its owner, or of all own keys. */
export interface Usage {
  /** Of a person who is not signed in. */
  readonly secret?: string | undefined
  readonly keyId?: number | undefined
}

interface Live {
  readonly figures?: Figures
  readonly threshold?: Threshold
  readonly isLive: boolean
  /** Why there is nothing to be seen with this key. */
  readonly refusal?: string
}

const STREAM = '/api/v1/usage/stream'
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const ENDED: Readonly<Record<string, string>> = {
  key_revoked: 'API key revoked',
  key_expired: 'API key expired',
}

/** Follows the figures while the screen is open. A connection that breaks is made again, and nothing is missed. */
export function useUsageStream({ secret, keyId }: Usage): Live {
  const [live, setLive] = useState<Live>({ isLive: false })
  useEffect(
    () => follow({ secret, keyId }, (change) => setLive((before) => ({ ...before, ...change }))),
    [secret, keyId],
  )
  return live
}

function follow(usage: Usage, tell: (change: Partial<Live>) => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastEventId = ''
  let pauseMs = FIRST_PAUSE_MS
  let isOver = false
  void open()
  return end

  function end() {
    isOver = true
    source?.close()
    clearTimeout(timer)
  }

  async function open() {
    try {
      const address = await addressOf(usage, lastEventId)
      if (!isOver) listen(address)
    } catch (error) {
      if (isOver) return
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
        end()
        tell({ refusal: error.message, isLive: false })
      } else retry()
    }
  }

  function listen(address: string) {
    source = new EventSource(address)
    on('usage', (figures) => {
      pauseMs = FIRST_PAUSE_MS
      tell({ figures: figures as Figures, isLive: true })
    })
    on('threshold', (threshold) => tell({ threshold: threshold as Threshold }))
    on('end', (told) => {
      const refusal = ENDED[(told as { reason: string }).reason]
      if (refusal === undefined) return retry()
      end()
      tell({ refusal, isLive: false })
    })
    // A ticket serves once, so the browser's own attempts would be refused.
    source.onerror = retry
  }

  function on(name: string, take: (told: unknown) => void) {
    source?.addEventListener(name, (event) => {
      lastEventId = event.lastEventId || lastEventId
      take(JSON.parse(event.data))
    })
  }

  function retry() {
    source?.close()
    if (isOver) return
    tell({ isLive: false })
    clearTimeout(timer)
    timer = setTimeout(() => void open(), pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** A key never becomes part of a URL: it is exchanged for a ticket. */
async function addressOf({ secret, keyId }: Usage, lastEventId: string): Promise<string> {
  const query = new URLSearchParams()
  if (keyId !== undefined) query.set('key_id', String(keyId))
  if (lastEventId !== '') query.set('last_event_id', lastEventId)
  if (secret !== undefined) {
    const { body } = await send<{ data: { ticket: string } }>('/api/v1/stream-tickets', {
      method: 'POST',
      headers: { 'x-api-key': secret },
    })
    query.set('ticket', body.data.ticket)
  }
  return query.size === 0 ? STREAM : `${STREAM}?${query}`
}
