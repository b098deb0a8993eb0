import { isUtf8 } from 'node:buffer'

/** Of longer bodies that leave with their head Node would make two more copies. */
export const ONE_PIECE_BYTES = 15 * 1024

/**
 * A short text as a string: Node then sends head and body in one piece, which takes a third off a small response.
 * Routes give texts as bytes, because to strings the framework adds a charset of its own.
 */
export function inOnePiece(payload: unknown): unknown {
  const isShort = Buffer.isBuffer(payload) && payload.length <= ONE_PIECE_BYTES
  return isShort && isUtf8(payload) ? payload.toString() : payload
}
