import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/**
 * UUID version 7 (RFC 9562): sorts by creation time. Ids of one generator increase strictly, also
 * within a millisecond and when the clock is set back.
 */
export function createIds({ clock, random }: { clock: Clock; random: Random }) {
  let lastMs = 0
  let counter = 0
  let shownMs = -1
  let shown = ''
  let tails = ''
  let used = 0
  return { uuid }

  function uuid(): string {
    const nowMs = clock.now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = random.bytes(2).readUInt16BE() & 0x7ff
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
    return `${timePart()}-7${THREE_DIGITS[counter]}-${tail()}`
  }

  /** Every request has an id: many share one piece of randomness, of which each part is used once. */
  function tail(): string {
    if (used === tails.length) {
      tails = random.bytes(TAILS_AT_ONCE * 8).toString('hex')
      used = 0
    }
    const at = used
    used += 16
    const variant = VARIANTS[Number.parseInt(tails.charAt(at), 16) & 3]
    return `${variant}${tails.slice(at + 1, at + 4)}-${tails.slice(at + 4, used)}`
  }

  /** The same for all ids of a millisecond. */
  function timePart(): string {
    if (lastMs !== shownMs) {
      const hex = lastMs.toString(16).padStart(12, '0')
      shown = `${hex.slice(0, 8)}-${hex.slice(8)}`
      shownMs = lastMs
    }
    return shown
  }
}

const TAILS_AT_ONCE = 256
/** The two bits that say which kind of UUID it is, and two that say nothing. */
const VARIANTS = ['8', '9', 'a', 'b'] as const
const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, n) => n.toString(16).padStart(3, '0'))

export type Ids = ReturnType<typeof createIds>
