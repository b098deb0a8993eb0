import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../canonical-json.ts'
import { DomainError } from '../errors.ts'

type CursorValue = string | number | boolean | null

/** A place between two records: the sort values of one of them, the last being its unique id. */
export interface CursorPosition {
  readonly direction: 'next' | 'prev'
  readonly values: readonly CursorValue[]
}

/** What a cursor may be used for; any difference makes it invalid. */
export interface CursorBinding {
  readonly resource: string
  readonly sort: string
  readonly order: 'asc' | 'desc'
  /** Any JSON value; the order of members does not matter. */
  readonly filters: unknown
}

const MAC_BYTES = 16

/**
 * Opaque cursors (REST conventions §5). They hold the sort values themselves, so they stay valid
 * when their record is deleted. The signature covers the binding too: a cursor that was changed, or
 * is used with another list, sort, order or filter, is refused. All nodes need the same key.
 */
export function createCursors({ key }: { key: Buffer }) {
  return { encode, decode }

  function encode({ direction, values }: CursorPosition, binding: CursorBinding): string {
    const payload = Buffer.from(JSON.stringify([direction === 'prev' ? 1 : 0, ...values]))
    return Buffer.concat([sign(payload, binding), payload]).toString('base64url')
  }

  function decode(cursor: string, binding: CursorBinding): CursorPosition {
    const bytes = Buffer.from(cursor, 'base64url')
    const mac = bytes.subarray(0, MAC_BYTES)
    const payload = bytes.subarray(MAC_BYTES)
    // Decoding skips what is not base64: only the very text we made is a cursor.
    const intact = mac.length === MAC_BYTES && bytes.toString('base64url') === cursor
    if (!intact || !timingSafeEqual(mac, sign(payload, binding))) {
      throw new DomainError('invalid', 'invalid_cursor', 'The cursor does not belong to this list')
    }
    const [backwards, ...values]: [number, ...CursorValue[]] = JSON.parse(payload.toString('utf8'))
    return { direction: backwards === 1 ? 'prev' : 'next', values }
  }

  function sign(payload: Buffer, binding: CursorBinding): Buffer {
    // A text as JSON contains no raw line break, so nothing can move from one part to the other.
    const mac = createHmac('sha256', key).update(canonicalJson(binding)).update('\n')
    return mac.update(payload).digest().subarray(0, MAC_BYTES)
  }
}
