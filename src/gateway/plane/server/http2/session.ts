import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import type { Arrival, ClientConnection, ConnectionOwner, Service } from '../client.ts'
import type { Look } from '../first-bytes.ts'
import { toRequestHead } from './request-head.ts'
import { type ServedStream, type Shared, serveStream } from './stream.ts'

/** What a client of HTTP/2 begins with (RFC 9113 §3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/**
 * Bounds on what one connection may cost. Beyond them Node ends it: resets of streams faster than the
 * rate, header blocks without end, frames that are none, settings and pings that nobody can answer as
 * fast as they come.
 */
const OPTIONS = {
  maxSessionMemory: 8,
  maxHeaderListPairs: 256,
  maxSettings: 16,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  streamResetBurst: 200,
  streamResetRate: 20,
  // More than the largest head that an upstream may send; Node would end the stream.
  maxSendHeaderBlockLength: 256 * 1024,
  // Contract §5.1: what an upstream repeats stays repeated; to Node two dates would be a fault of ours.
  strictSingleValueFields: false,
  settings: {
    enablePush: false,
    maxConcurrentStreams: 128,
    maxHeaderListSize: 64 * 1024,
    initialWindowSize: 256 * 1024,
  },
}

/** Decides by the first bytes whether a plain connection is one of HTTP/2. */
export function lookAtPreface(isHttp2: () => void, isHttp1: () => void): Look {
  return (bytes) => {
    const size = Math.min(bytes.length, PREFACE.length)
    const isSame = bytes.compare(PREFACE, 0, size, 0, size) === 0
    if (isSame && size < PREFACE.length) return undefined
    return { used: 0, go: isSame ? isHttp2 : isHttp1 }
  }
}

/** One connection of HTTP/2: its streams are requests beside each other. */
export function serveSession<T>(
  { socket, peer, entrance }: Arrival,
  service: Service<T>,
  owner: ConnectionOwner,
): ClientConnection {
  const session = performServerHandshake(socket, OPTIONS)
  const streams = new Set<ServedStream>()
  const shared: Shared = { peer, isTls: owner.isTls, entrance }
  let deadline = owner.tick() + owner.limits.idleTicks
  const connection: ClientConnection = {
    isIdle: () => streams.size === 0,
    retire: () => void (session.closed || session.close()),
    check,
    destroy: () => session.destroy(),
  }
  session.on('stream', open)
  session.on('error', () => {})
  session.on('close', () => owner.closed(connection))
  return connection

  function open(stream: ServerHttp2Stream, _headers: object, _flags: number, raw: string[]) {
    // Reset before anybody could look at it: nothing is begun for it. What ended the connection is told
    // to its streams too, and an error that nobody hears would end the thread.
    if (stream.closed || stream.destroyed) return void stream.on('error', () => {})
    const request = toRequestHead(raw, !stream.endAfterHeaders)
    let isClosed = false
    const served = serveStream(request, {
      ...{ stream, shared, service, owner },
      closed() {
        isClosed = true
        streams.delete(served)
        deadline = owner.tick() + owner.limits.idleTicks
      },
    })
    if (!isClosed) streams.add(served)
  }

  function check(tick: number) {
    for (const stream of streams) stream.check(tick)
    if (streams.size > 0 || tick < deadline) return
    // What has been written still leaves; a client that does not close then is cut.
    if (session.closed) socket.destroy()
    else session.close()
    deadline = tick + owner.limits.lingerTicks
  }
}
