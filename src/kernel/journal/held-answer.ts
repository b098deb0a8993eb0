import type { ServerResponse } from 'node:http'
import { Transform } from 'node:stream'

/**
 * Appends the record of an answer; false when the journal has no room. Called exactly once for
 * each answer, with the status that was sent, or 499 when the client did not wait for it.
 */
export type RecordAnswer = (status: number) => boolean

export interface HeldBody {
  /** The declared `Content-Length`; absent when the body ends with the stream. */
  readonly length?: number | undefined
  readonly record: RecordAnswer
}

export const CLIENT_GONE = 499

/**
 * Sends an answer that is ready as a whole, after its record is in the journal. False: there is no
 * room for the record and nothing was sent; the caller answers 503.
 */
export function endAfter(
  res: ServerResponse,
  chunk: string | Uint8Array | undefined,
  record: RecordAnswer,
): boolean {
  if (res.destroyed) {
    record(CLIENT_GONE)
    return true
  }
  if (!record(res.statusCode)) return false
  res.end(chunk)
  return true
}

/**
 * Sends an answer piece by piece and delays none of them: the record is appended before the piece
 * with which a client has the whole answer, that is the last byte of a declared length, else the
 * end. Without room for the record the connection is cut. Do not flush the headers of an answer
 * without a body: they are its last piece.
 */
export function holdAnswer(res: ServerResponse, { length, record }: HeldBody) {
  const held = createHold(length, record)
  res.once('close', () => held.finish(CLIENT_GONE))
  return { write, end, breakOff }

  /** False when the caller should wait for `drain`. */
  function write(chunk: Uint8Array): boolean {
    if (held.pass(chunk.byteLength, res.statusCode)) return res.write(chunk)
    res.destroy()
    return true
  }

  function end(): void {
    if (held.finish(res.statusCode)) res.end()
    else res.destroy()
  }

  /** The rest of the body will not come: the client must not take what it has for all. */
  function breakOff(status = res.statusCode): void {
    held.finish(status)
    res.destroy()
  }
}

/** `holdAnswer` for a body that is piped into `res`, as with the `onSend` hook of Fastify. */
export function holdLastChunk(res: ServerResponse, { length, record }: HeldBody): Transform {
  const held = createHold(length, record)
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      done(held.pass(chunk.byteLength, res.statusCode) ? null : noRoom(), chunk)
    },
    flush(done) {
      done(held.finish(res.statusCode) ? null : noRoom())
    },
    destroy(error, done) {
      held.finish(res.destroyed ? CLIENT_GONE : res.statusCode)
      done(error)
    },
  })
}

function createHold(length: number | undefined, record: RecordAnswer) {
  let left = length ?? Number.POSITIVE_INFINITY
  let isRecorded: boolean | undefined
  return { pass, finish }

  /** Asked before a piece is sent. */
  function pass(bytes: number, status: number): boolean {
    left -= bytes
    return left > 0 || finish(status)
  }

  function finish(status: number): boolean {
    isRecorded ??= record(status)
    return isRecorded
  }
}

function noRoom(): Error {
  return new Error('the journal has no room for the record of this answer')
}
