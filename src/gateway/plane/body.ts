import { sendFailure } from './answer.ts'
import type { Connection } from './client/connection.ts'
import type { Context } from './context.ts'

const LAST_CHUNK = '0\r\n\r\n'

export function hasBody({ sent }: Context): boolean {
  if (sent.isChunked) return true
  return sent.contentLength !== undefined && sent.contentLength !== '0'
}

/**
 * Streams the client's body to the upstream as fast as that takes it. From here on the request
 * cannot be sent to another node.
 */
export function pumpBody(ctx: Context, connection: Connection<Context>, maxBody: number): void {
  const { request, isBodyChunked } = ctx
  const { socket } = connection
  ctx.isBodyTaken = true
  connection.isSending = true
  if (ctx.expectsContinue) ctx.response.writeContinue()
  const proceed = () => void request.resume()
  request.on('data', (chunk: Buffer) => {
    ctx.bytesIn += chunk.length
    if (socket.destroyed || ctx.connection !== connection) return
    if (maxBody > 0 && ctx.bytesIn > maxBody) return tooLarge(ctx)
    const isTaken = isBodyChunked ? writeChunk(connection, chunk) : socket.write(chunk)
    if (!isTaken) request.pause()
  })
  socket.on('drain', proceed)
  socket.once('close', proceed)
  request.once('end', () => {
    socket.off('drain', proceed)
    socket.off('close', proceed)
    if (isBodyChunked && !socket.destroyed) socket.write(LAST_CHUNK, 'latin1')
    connection.isSending = false
  })
}

function writeChunk({ socket }: Connection<Context>, chunk: Buffer): boolean {
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk)
  const isTaken = socket.write('\r\n', 'latin1')
  socket.uncork()
  return isTaken
}

function tooLarge(ctx: Context) {
  const { connection } = ctx
  ctx.connection = null
  connection?.abort()
  ctx.response.shouldKeepAlive = false
  if (ctx.isAnswered) ctx.response.destroy()
  else sendFailure(ctx, 413, 'payload_too_large', 'the request body is too large')
}
