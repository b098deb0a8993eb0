import { sendFailure } from './answer.ts'
import type { Connection } from './client/connection.ts'
import type { Context } from './context.ts'
import { NO_TRAILERS, passedTrailers, renderLastChunk } from './http1/trailers.ts'
import { keepEnd, keepPiece, type ReadBody } from './request-body.ts'

/** Streams the bodies of clients to upstreams as fast as those take them. */
export function createBodyPump(maxBody: number) {
  return { begin, body, end }

  /** From here on the request cannot be sent to another node. */
  function begin(ctx: Context, connection: Connection<Context>): void {
    ctx.isBodyTaken = true
    connection.isSending = true
    if (ctx.readBody?.isTaken) sendRead(ctx, ctx.readBody, connection)
    else ctx.client.takeBody()
  }

  /** False: the upstream has enough for now. */
  function body(ctx: Context, chunk: Buffer): boolean {
    const { connection, readBody } = ctx
    ctx.bytesIn += chunk.length
    if (readBody && !readBody.isDone) {
      if (maxBody > 0 && ctx.bytesIn > maxBody) return tooLarge(ctx, null)
      return keepPiece(readBody, chunk)
    }
    if (!connection || connection.socket.destroyed) return true
    if (maxBody > 0 && ctx.bytesIn > maxBody) return tooLarge(ctx, connection)
    return ctx.isBodyChunked ? writeChunk(connection, chunk) : connection.socket.write(chunk)
  }

  /** Trailers of a body that a plugin has looked at are not passed on. */
  function end(ctx: Context, trailers: readonly string[]): void {
    const { connection, isBodyChunked, readBody, forwardHeaders } = ctx
    if (readBody && !readBody.isDone) return void keepEnd(readBody)
    const passed = trailers.length === 0 ? trailers : passedTrailers(trailers, forwardHeaders)
    if (connection) finish(connection, isBodyChunked, passed)
  }

  /** What was looked at goes first; of a larger body the rest follows as it comes. */
  function sendRead(ctx: Context, read: ReadBody, connection: Connection<Context>): void {
    const { isBodyChunked } = ctx
    for (const chunk of read.chunks.splice(0)) {
      if (isBodyChunked) writeChunk(connection, chunk)
      else connection.socket.write(chunk)
    }
    if (read.isWhole) finish(connection, isBodyChunked, NO_TRAILERS)
    else ctx.client.resumeBody()
  }
}

function finish(
  connection: Connection<Context>,
  isChunked: boolean,
  trailers: readonly string[],
): void {
  const { socket } = connection
  if (isChunked && !socket.destroyed) socket.write(renderLastChunk(trailers), 'latin1')
  connection.isSending = false
}

function writeChunk({ socket }: Connection<Context>, chunk: Buffer): boolean {
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk)
  const isTaken = socket.write('\r\n', 'latin1')
  socket.uncork()
  return isTaken
}

function tooLarge(ctx: Context, connection: Connection<Context> | null): true {
  ctx.connection = null
  connection?.abort()
  ctx.client.closes = true
  if (ctx.isAnswered) ctx.client.destroy()
  else sendFailure(ctx, 413, 'payload_too_large', 'the request body is too large')
  return true
}
