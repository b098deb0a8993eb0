/**
 * Bytes that have come and were not used yet. They are copied only when more are added, into room
 * that doubles: who sends byte by byte must not cost more than who sends at once.
 */
export function createInbox() {
  let bytes: Buffer = EMPTY
  let at = 0
  let room: Buffer | null = null
  return {
    add,
    use,
    keep,
    clear,
    bytes: () => bytes,
    start: () => at,
    size: () => bytes.length - at,
  }

  function add(chunk: Buffer): void {
    const kept = bytes.length - at
    if (kept === 0) {
      bytes = chunk
      at = 0
      room = null
      return
    }
    const wanted = bytes.length + chunk.length
    const to = room === null || wanted > room.length ? move(kept + chunk.length) : room
    chunk.copy(to, bytes.length)
    bytes = to.subarray(0, bytes.length + chunk.length)
  }

  function move(needed: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.max(MIN_ROOM, 2 * needed))
    const kept = bytes.copy(larger, 0, at)
    bytes = larger.subarray(0, kept)
    at = 0
    room = larger
    return larger
  }

  /** Everything before this place is done with. */
  function use(to: number): void {
    if (to >= bytes.length) clear()
    else at = to
  }

  /** For bytes that belong to the inbox only for now: what is left of them is copied. */
  function keep(): void {
    if (room !== null || bytes.length === at) return
    move(bytes.length - at)
  }

  function clear(): void {
    bytes = EMPTY
    at = 0
    room = null
  }
}

export type Inbox = ReturnType<typeof createInbox>

const MIN_ROOM = 1024
const EMPTY = Buffer.alloc(0)
