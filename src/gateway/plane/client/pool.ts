import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ClientPair } from '../certificates.ts'
import { type Connection, createConnection, type Receiver } from './connection.ts'

export interface PoolSettings {
  readonly host: string
  readonly port: number
  /** A socket of this machine instead of host and port. */
  readonly socketPath: string | null
  readonly tls: {
    readonly verify: boolean
    readonly servername: string
    /** What the gateway shows of itself. */
    readonly pair: ClientPair | null
  } | null
  readonly connectMs: number
  /** Idle connections kept. */
  readonly size: number
  readonly idleMs: number
  /** Requests on one connection before it is closed. */
  readonly requests: number
}

/** The other side's own limit is met a little earlier, or a request could meet the closing. */
const KEEP_MARGIN_MS = 1_000

/** Connections to one node, used last in first out so that surplus ones grow old and close. */
export function createPool<T>(settings: PoolSettings, receiver: Receiver<T>, room: Buffer) {
  const { idleMs, size, requests } = settings
  const idle: Connection<T>[] = []
  let open = 0
  const owner = { free, closed }
  return { exchange, close, isUnused: () => open === 0 }

  /** Calls `connected` or `failed` of the receiver, at once when a connection is idle. */
  function exchange(taken: T, onlyFresh = false): void {
    while (!onlyFresh) {
      const connection = idle.pop()
      if (!connection) break
      if (connection.socket.destroyed || connection.socket.readableEnded) continue
      receiver.connected(taken, connection)
      return
    }
    connect(taken)
  }

  function connect(taken: T) {
    let made: Connection<T> | undefined
    const dialled = tryToDial(settings, room, (chunk) => made?.read(chunk))
    if (dialled instanceof Error) return receiver.failed(taken, 'refused', dialled)
    const socket: Socket = dialled
    open++
    const event = settings.tls ? 'secureConnect' : 'connect'
    let isSettled = false
    const onError = (error: Error) => refuse('refused', error)
    const timer = setTimeout(
      () => refuse('connect_timeout', new Error('the upstream did not accept in time')),
      settings.connectMs,
    )
    socket.once('error', onError)
    socket.once(event, () => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      socket.off('error', onError)
      made = createConnection(socket, receiver, owner)
      receiver.connected(taken, made)
    })

    function refuse(failure: 'refused' | 'connect_timeout', error: Error) {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      open--
      socket.on('error', () => {})
      socket.destroy()
      receiver.failed(taken, failure, error)
    }
  }

  function free(connection: Connection<T>, keepMs: number) {
    if (connection.uses >= requests || idle.length >= size) {
      connection.socket.destroy()
      return
    }
    const kept = keepMs > 0 ? Math.min(idleMs, Math.max(keepMs - KEEP_MARGIN_MS, 100)) : idleMs
    connection.limit(kept)
    idle.push(connection)
  }

  function closed(connection: Connection<T>) {
    open--
    const at = idle.indexOf(connection)
    if (at !== -1) idle.splice(at, 1)
  }

  /** Idle connections end now, busy ones after their answer. */
  function close() {
    for (const { socket } of idle.splice(0)) socket.destroy()
  }
}

export type Pool<T> = ReturnType<typeof createPool<T>>

/** An address that cannot be dialled at all, such as one with a wrong port, is one that refuses. */
function tryToDial(...given: Parameters<typeof dial>): Socket | Error {
  try {
    return dial(...given)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** `take` gets bytes that are its own only during the call: plain sockets all read into one room. */
function dial(settings: PoolSettings, room: Buffer, take: (chunk: Buffer) => void): Socket {
  const { host, port, tls, socketPath } = settings
  if (!tls) {
    const to = socketPath === null ? { host, port, noDelay: true, keepAlive: true } : null
    return connectPlain({ ...(to ?? { path: socketPath ?? '' }), onread: into(room, take) })
  }
  const { verify, servername, pair } = tls
  const socket = connectTls({
    host,
    port,
    rejectUnauthorized: verify,
    ALPNProtocols: ['http/1.1'],
    // RFC 6066 §3: an address is no server name.
    ...(isIP(servername) === 0 ? { servername } : {}),
    ...(pair ? { secureContext: pair.context } : {}),
  })
  return socket.on('data', take)
}

/** Past the streams of Node, which cost a buffer, an event and a tick for each read. */
function into(room: Buffer, take: (chunk: Buffer) => void): OnReadOpts {
  return {
    buffer: room,
    callback(size) {
      take(room.subarray(0, size))
      return true
    },
  }
}
