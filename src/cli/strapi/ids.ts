import { createHash } from 'node:crypto'

/** Of the ids that this import makes; another value would bring everything over a second time. */
const NAMESPACE = Buffer.from('6ba7b8149dad41d180b400c04fd430c8', 'hex')

/**
 * The id here of what has this `documentId` there: always the same (UUID version 5), so that an import knows
 * without notes of its own what it has brought over before.
 */
export function idOf(documentId: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(documentId).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [8, 12, 16, 20, 32]
    .map((end, at, ends) => hex.slice(at === 0 ? 0 : ends[at - 1], end))
    .join('-')
}
