import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'

/** More of a refused body is not worth reading, nor is waiting longer for it. */
const MOST_BYTES = 16 * 1024 * 1024
const LONGEST_MS = 5_000

/**
 * The rest of a body that was refused before it had come is read and thrown away: it is in the way of the connection's
 * next request, and a connection that is closed on a client that still sends is reset, so that the client never sees why.
 */
export function passOverBody(request: IncomingMessage, reply: FastifyReply): void {
  if (request.complete) return
  const { socket } = request
  // The framework closes it when a body is too large.
  if (reply.statusCode === 413) reply.removeHeader('connection')
  const isLast = !reply.raw.shouldKeepAlive
  // Node destroys the socket as soon as its last answer is written.
  if (isLast) socket.destroySoon = () => void socket.end()
  reply.raw.once('finish', () => {
    request.unpipe().removeAllListeners('readable')
    // A stream notices a moment later that nobody listens any more.
    setImmediate(() => {
      request.resume()
      if (isLast || reply.statusCode === 413) endAfter(request, isLast)
    })
  })
}

function endAfter(request: IncomingMessage, isLast: boolean): void {
  const { socket } = request
  const cut = () => void socket.destroy()
  const limit = setTimeout(cut, LONGEST_MS)
  let bytes = 0
  request.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > MOST_BYTES) cut()
  })
  request.once('close', () => {
    clearTimeout(limit)
    if (isLast) cut()
  })
}
