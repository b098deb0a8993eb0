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
    const tail = random.bytes(8)
    tail.writeUInt8(0x80 | (tail.readUInt8(0) & 0x3f), 0)
    const hex = tail.toString('hex')
    return `${timePart()}-7${THREE_DIGITS[counter]}-${hex.slice(0, 4)}-${hex.slice(4)}`
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

const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, n) => n.toString(16).padStart(3, '0'))

/** UUID version 4 (RFC 9562): tells nothing, not even when it was made. */
export function randomUuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes.writeUInt8(0x40 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return render(bytes)
}

function render(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export type Ids = ReturnType<typeof createIds>
