import { crc32 } from 'node:zlib'

/** Length and checksum, four bytes each, before every record. */
export const HEADER_BYTES = 8
/** Bounds the writer's buffer, and how far a reader must look before a length is nonsense. */
export const MAX_RECORD_BYTES = 65_536
export const MAX_FRAME_BYTES = HEADER_BYTES + MAX_RECORD_BYTES
/** Room for one character more than allowed, so that a text cut by the buffer's end is noticed. */
export const FRAME_BUFFER_BYTES = MAX_FRAME_BYTES + 4
/** A character of a text takes at most so many bytes. */
const MAX_CHARACTER_BYTES = 3

export interface Frame {
  readonly start: number
  readonly end: number
}

/** The most that a frame with this text can take. */
export function maxFrameBytes(text: string): number {
  return HEADER_BYTES + text.length * MAX_CHARACTER_BYTES
}

/** Writes one frame at `start` of `target` and returns its length. */
export function encodeFrame(target: Buffer, text: string, start = 0): number {
  const body = start + HEADER_BYTES
  const length = target.write(text, body)
  if (length > MAX_RECORD_BYTES) throw new RangeError('a journal record is longer than 64 KiB')
  target.writeUInt32LE(length, start)
  target.writeUInt32LE(crc32(target.subarray(body, body + length)), start + 4)
  return HEADER_BYTES + length
}

/** The whole frame that starts at `start`, undefined when it is incomplete, damaged or none. */
export function frameAt(bytes: Buffer, start: number): Frame | undefined {
  const body = start + HEADER_BYTES
  if (body > bytes.length) return undefined
  const length = bytes.readUInt32LE(start)
  // Blocks that a power loss left zeroed would pass as empty records: their checksum is zero too.
  if (length === 0 || length > MAX_RECORD_BYTES || body + length > bytes.length) return undefined
  const end = body + length
  if (crc32(bytes.subarray(body, end)) !== bytes.readUInt32LE(start + 4)) return undefined
  return { start, end }
}

/** The first whole frame at or after `start`; finds the records behind a damaged one. */
export function nextFrame(bytes: Buffer, start: number): Frame | undefined {
  for (let at = start; at + HEADER_BYTES < bytes.length; at++) {
    const frame = frameAt(bytes, at)
    if (frame) return frame
  }
  return undefined
}
