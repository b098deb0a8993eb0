import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** One open stream of server-sent events (access contract §7). */
export interface EventStream {
  /**
   * Ids increase: without one it is the last id plus one. A text is an id of the caller's own
   * making, null leaves the client's last id as it is. False when the client is gone.
   */
  send(event: string, data: unknown, id?: number | string | null): boolean
  /** Resolves when the client has taken what was sent, or is gone: whoever sends much waits. */
  drained(): Promise<void>
  /** Ends the answer after what was sent before. */
  end(): void
  readonly isOpen: boolean
}

export interface StreamOptions {
  /** Where numbering goes on, for example the last replayed id. */
  readonly lastId?: number
  /** At least so much may wait for the client: one message may be larger than the usual limit. */
  readonly minBacklogBytes?: number
  readonly onClose?: () => void
  /** What a client hears before the server stops, for example an `end` event. */
  readonly onShutdown?: (stream: EventStream) => void
  /** Whoever opened it watches the key it was opened with, and says why it ends. */
  readonly tellsEnd?: boolean
}

interface Opened extends Pick<StreamOptions, 'onShutdown' | 'tellsEnd'> {
  readonly stream: EventStream
  readonly request: FastifyRequest
}

export interface EventStreamSettings {
  readonly pingMs?: number
  readonly maxBacklogBytes?: number
}

const PING_MS = 15_000
const RETRY_MS = 3_000
const MAX_BACKLOG_BYTES = 64 * 1024

/** The streams of one server: opened by routes of any module, closed together before it stops. */
export function createEventStreams({
  pingMs = PING_MS,
  maxBacklogBytes = MAX_BACKLOG_BYTES,
}: EventStreamSettings = {}) {
  const streams = new Set<Opened>()
  return {
    open,
    closeAll,
    /** Those that are open now. */
    opened: (): readonly Opened[] => [...streams],
    get size() {
      return streams.size
    },
  }

  /** Before the server stops: it waits for every open answer, and these have no end of their own. */
  function closeAll(): void {
    for (const { stream, onShutdown } of streams) {
      onShutdown?.(stream)
      stream.end()
    }
  }

  /** Takes over the answer: the handler returns `reply` and writes only through the stream. */
  function open(
    request: FastifyRequest,
    reply: FastifyReply,
    options: StreamOptions = {},
  ): EventStream {
    const { raw } = reply.hijack()
    request.isEventStream = true
    writeHead(reply)
    const write = createWriter(raw, Math.max(maxBacklogBytes, options.minBacklogBytes ?? 0))
    const stream = createStream(raw, write, options.lastId ?? 0)
    const opened = { ...options, stream, request }
    streams.add(opened)
    const ping = setInterval(() => write(': ping\n\n'), pingMs)
    raw.once('close', close)
    // A client that left before is not heard to leave. Whoever opens is told after that.
    if (raw.destroyed) setImmediate(close)
    if (request.method === 'HEAD') stream.end()
    return stream

    function close() {
      clearInterval(ping)
      if (streams.delete(opened)) options.onClose?.()
    }
  }
}

export type EventStreams = ReturnType<typeof createEventStreams>

/** A client that stops reading must not make this process keep everything for it. */
function createWriter(raw: ServerResponse, maxBacklogBytes: number) {
  let isSuspected = false
  return (text: string): void => {
    raw.write(text)
    if (isSuspected || raw.writableLength <= maxBacklogBytes) return
    isSuspected = true
    // What is written in one turn leaves together at its end: only what stays then is a backlog.
    setImmediate(() => {
      isSuspected = false
      if (raw.writableLength > maxBacklogBytes) raw.destroy()
    })
  }
}

function createStream(
  raw: ServerResponse,
  write: (text: string) => void,
  firstId: number,
): EventStream {
  let lastId = firstId
  return {
    send,
    drained,
    end: () => raw.end(),
    get isOpen() {
      return isOpen()
    },
  }

  function isOpen(): boolean {
    return !raw.writableEnded && !raw.destroyed
  }

  function send(event: string, data: unknown, id: number | string | null = lastId + 1): boolean {
    if (!isOpen()) return false
    if (typeof id === 'number') lastId = id
    const head = id === null ? '' : `id: ${id}\n`
    write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    return true
  }

  function drained(): Promise<void> {
    return new Promise((resolve) => {
      if (!isOpen() || !raw.writableNeedDrain) return resolve()
      const done = () => {
        raw.off('drain', done).off('close', done)
        resolve()
      }
      raw.on('drain', done).on('close', done)
    })
  }
}

function writeHead(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies such as nginx would hold events back until their buffer is full.
    'x-accel-buffering': 'no',
  })
  reply.raw.write(`retry: ${RETRY_MS}\n\n`)
}
