import { crc32 } from 'node:zlib'

/** Length and checksum, four bytes each, before every record. */
export const HEADER_BYTES = 8
/** Bounds the writer's buffer, and how far a reader must look before a length is nonsense. */
export const MAX_RECORD_BYTES = 65_536
export const MAX_FRAME_BYTES = HEADER_BYTES + MAX_RECORD_BYTES
/** Room for one character more than allowed, so that a text cut by the buffer's end is noticed. */
export const FRAME_BUFFER_BYTES = MAX_FRAME_BYTES + 4

export interface Frame {
  readonly start: number
  readonly end: number
}

/** Writes one frame at the beginning of `target` and returns its length. */
export function encodeFrame(target: Buffer, text: string): number {
  const length = target.write(text, HEADER_BYTES)
  if (length > MAX_RECORD_BYTES) throw new RangeError('a journal record is longer than 64 KiB')
  const end = HEADER_BYTES + length
  target.writeUInt32LE(length, 0)
  target.writeUInt32LE(crc32(target.subarray(HEADER_BYTES, end)), 4)
  return end
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
