import { closeSync, fstatSync, openSync, read } from 'node:fs'
import { promisify } from 'node:util'
import { frameAt, HEADER_BYTES, MAX_FRAME_BYTES, nextFrame } from './frame.ts'

export interface JournalRecord {
  /** Stable however often the record is read, and never given to another one. */
  readonly id: string
  /** What the writer appended; whoever handles it checks its shape. */
  readonly data: unknown
}

export interface Portion {
  readonly records: readonly JournalRecord[]
  /** Where to go on reading. */
  readonly end: number
  /** The file goes on behind what was looked at. */
  readonly hasMore: boolean
  /** Bytes before `end` that hold no record that can be read. */
  readonly skippedBytes: number
  /** Nothing will ever come after `end`. */
  readonly isFinished: boolean
}

const CHUNK_BYTES = 4 * MAX_FRAME_BYTES
const readFile = promisify(read)

/** Reads one segment onwards from a position; keeps it open, so that growth is cheap to follow. */
export function openSegment(path: string, segment: string) {
  const fd = openSync(path, 'r')
  return { read: readPortion, sizeBytes, close: () => closeSync(fd) }

  function sizeBytes(): number {
    return fstatSync(fd).size
  }

  /**
   * `isComplete` says that the writer is done with the segment. Only then is an unreadable frame
   * damage; before, it is a record that is being written.
   */
  async function readPortion(
    position: number,
    limit: number,
    isComplete: boolean,
  ): Promise<Portion> {
    // After a power loss the file can be shorter than what the database already has of it.
    const length = Math.max(0, Math.min(CHUNK_BYTES, sizeBytes() - position))
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await readFile(fd, buffer, 0, length, position)
    const hasMore = bytesRead === CHUNK_BYTES
    return parse(buffer.subarray(0, bytesRead), position, { limit, isComplete, hasMore })
  }

  function parse(bytes: Buffer, position: number, options: ParseOptions): Portion {
    const { limit, isComplete, hasMore } = options
    const records: JournalRecord[] = []
    let at = 0
    let skippedBytes = 0
    while (records.length < limit) {
      const frame = frameAt(bytes, at)
      if (!frame) {
        // A frame that only the chunk's end cuts off is whole in the next chunk.
        if (!isComplete || (hasMore && bytes.length - at < MAX_FRAME_BYTES)) break
        const behind = placeBehindDamage(bytes, at, hasMore)
        skippedBytes += behind - at
        at = behind
        if (at === bytes.length) break
        continue
      }
      const data = parseJson(bytes.toString('utf8', frame.start + HEADER_BYTES, frame.end))
      if (data === undefined) skippedBytes += frame.end - frame.start
      else records.push({ id: `${segment}-${position + at}`, data })
      at = frame.end
    }
    const isFinished = isComplete && !hasMore && at === bytes.length
    return { records, end: position + at, hasMore, skippedBytes, isFinished }
  }
}

export type SegmentReader = ReturnType<typeof openSegment>

interface ParseOptions {
  readonly limit: number
  readonly isComplete: boolean
  readonly hasMore: boolean
}

function placeBehindDamage(bytes: Buffer, at: number, hasMore: boolean): number {
  const next = nextFrame(bytes, at + 1)
  if (next) return next.start
  return hasMore ? bytes.length - MAX_FRAME_BYTES + 1 : bytes.length
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
