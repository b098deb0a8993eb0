import { once } from 'node:events'
import type { Server } from 'node:http'
import net from 'node:net'

/** How long an idle connection may still bring a request that was already on its way. */
const IDLE_GRACE_MS = 250
/** A sweep this much too late shows a machine on which the clients, too, got no time to send. */
const LATE_MS = 50
/** That excuse holds for so long. */
const PATIENCE_MS = 2_000

/**
 * Ends a server without failing a request: answers tell the client to close, requests under way
 * finish, and idle connections stay open for a moment because a request may be on the wire. Returns
 * how many connections had to be cut.
 */
export function drainServer(server: Server) {
  let draining = false
  let open = 0
  server.on('connection', (socket) => {
    open++
    socket.once('close', () => open--)
  })
  // Before any other listener, so that the header is set before the handler can answer.
  server.prependListener('request', (_request, response) => {
    if (draining) response.setHeader('connection', 'close')
  })

  return (withinMs: number): Promise<number> => {
    draining = true
    return drainConnections(
      {
        server,
        open: () => open,
        closeIdle: () => server.closeIdleConnections(),
        closeAll: () => server.closeAllConnections(),
      },
      withinMs,
    )
  }
}

interface Drained {
  readonly server: net.Server
  /** Connections that are there. */
  open(): number
  /** Those on which no request is under way. */
  closeIdle(): void
  closeAll(): void
}

/** The same for a server that tells its clients by itself. */
export async function drainConnections(drained: Drained, withinMs: number): Promise<number> {
  const { server } = drained
  const sweep = sweepIdle(drained)
  let cut = 0
  const limit = setTimeout(() => {
    cut = drained.open()
    drained.closeAll()
  }, withinMs)
  if (server.listening) {
    // `close` of http.Server would also end idle connections at once.
    net.Server.prototype.close.call(server)
    await once(server, 'close')
  }
  clearInterval(sweep)
  clearTimeout(limit)
  return cut
}

function sweepIdle({ closeIdle }: Drained): NodeJS.Timeout {
  const patientUntilMs = performance.now() + PATIENCE_MS
  let dueMs = performance.now() + IDLE_GRACE_MS
  return setInterval(() => {
    const nowMs = performance.now()
    const isLate = nowMs > dueMs + LATE_MS && nowMs < patientUntilMs
    dueMs = nowMs + IDLE_GRACE_MS
    // Timers come before sockets: a request that has arrived is read first, so its connection is not idle.
    if (!isLate) setImmediate(closeIdle)
  }, IDLE_GRACE_MS)
}
