import { once } from 'node:events'
import type { Server } from 'node:http'
import net from 'node:net'

/** How long an idle connection may still bring a request that was already on its way. */
const IDLE_GRACE_MS = 250

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

  return async (withinMs: number): Promise<number> => {
    draining = true
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_GRACE_MS)
    let cut = 0
    const limit = setTimeout(() => {
      cut = open
      server.closeAllConnections()
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
}
