import { useEffect, useRef } from 'react'
import { send } from './client.ts'

const AGAIN_MS = 3_000

interface Options {
  /** The event after which nothing comes any more. */
  readonly last?: string
}

/**
 * Follows a stream of server-sent events while the screen is open; the sign-in opens it. The browser makes a broken
 * connection again by itself, but gives up after a refusal, such as that of a proxy whose server is away.
 */
export function useEvents(
  path: string | null,
  names: readonly string[],
  take: (name: string, data: string) => void,
  { last }: Options = {},
): void {
  const latest = useRef(take)
  latest.current = take
  const list = names.join()
  useEffect(() => {
    if (path === null) return
    return follow(path, list.split(','), last, (name, data) => latest.current(name, data))
  }, [path, list, last])
}

function follow(
  path: string,
  names: readonly string[],
  last: string | undefined,
  take: (name: string, data: string) => void,
): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  let lastEventId = ''
  open()
  return end

  function open() {
    if (isOver) return
    const url = new URL(path, location.origin)
    if (lastEventId !== '') url.searchParams.set('last_event_id', lastEventId)
    const opened = new EventSource(url)
    source = opened
    for (const name of names) {
      opened.addEventListener(name, (event) => {
        lastEventId = event.lastEventId || lastEventId
        if (name === last) end()
        take(name, String(event.data))
      })
    }
    opened.onerror = () => {
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(tryAgain, AGAIN_MS)
    }
  }

  /** A stream does not say why it was refused; this question does, when the session has ended. */
  async function tryAgain() {
    await send('/api/v1/me').catch(() => {})
    open()
  }

  function end() {
    isOver = true
    source?.close()
    clearTimeout(timer)
  }
}
