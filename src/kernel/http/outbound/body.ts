import type { Readable } from 'node:stream'
import { OutboundFailure } from './failure.ts'

/** Why nothing more came: all was read, a limit was reached, or the connection broke. */
export type BodyEnd = 'complete' | 'size' | 'time' | 'connection'

/**
 * The bytes of an answer as they arrive, content coding untouched. Can be read once; ends by itself
 * at a limit, and the connection is released at the time limit even when nobody reads.
 */
export interface OutboundBody extends AsyncIterable<Buffer> {
  /** Null until the reading ended. */
  readonly end: BodyEnd | null
  /** Gives the rest up and closes the connection. */
  cancel(): void
}

export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
}

export function createBody(stream: Readable, limits: BodyLimits): OutboundBody {
  let end: BodyEnd | null = null
  const timer = setTimeout(
    () => stream.destroy(new OutboundFailure('timeout')),
    limits.bodyTimeoutMs,
  )
  stream.once('close', () => clearTimeout(timer))
  // An error is reported to whoever reads; without a reader it must not end the process.
  stream.on('error', () => {})
  return {
    get end() {
      return end
    },
    cancel: () => stream.destroy(),
    [Symbol.asyncIterator]: read,
  }

  async function* read(): AsyncGenerator<Buffer> {
    let room = limits.maxBodyBytes
    try {
      for await (const chunk of stream) {
        const bytes: Buffer = chunk
        if (bytes.length > room) {
          end = 'size'
          if (room > 0) yield bytes.subarray(0, room)
          return
        }
        room -= bytes.length
        yield bytes
      }
      end = 'complete'
    } catch (error) {
      end = endAfter(error)
    } finally {
      stream.destroy()
    }
  }
}

function endAfter(error: unknown): BodyEnd {
  if (!(error instanceof OutboundFailure)) return 'connection'
  // Given up by the caller, who must not take the part for the whole.
  if (error.code === 'aborted') throw error
  return 'time'
}

export async function readWhole(body: OutboundBody): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
