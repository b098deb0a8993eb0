import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
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
  const isLimited = isLast || reply.statusCode === 413
  const close = socket.destroySoon.bind(socket)
  // Node destroys the socket as soon as its last answer is written.
  if (isLast) socket.destroySoon = () => void socket.end()
  reply.raw.once('finish', () => {
    request.unpipe().removeAllListeners('readable')
    // A stream notices a moment later that nobody listens any more.
    setImmediate(() => {
      request.resume()
      if (isLimited) endAfter(request, isLast ? close : () => {})
    })
  })
}

function endAfter(request: IncomingMessage, onRead: () => void): void {
  const { socket } = request
  const limit = setTimeout(() => socket.destroy(), LONGEST_MS)
  let bytes = 0
  request.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > MOST_BYTES) socket.destroy()
  })
  // It may have come to its end already.
  finished(request, () => {
    clearTimeout(limit)
    onRead()
  })
}
