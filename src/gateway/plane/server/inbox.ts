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
    if (room === null || wanted > room.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(MIN_ROOM, 2 * (kept + chunk.length)))
      bytes.copy(grown, 0, at)
      bytes = grown.subarray(0, kept)
      room = grown
      at = 0
    }
    chunk.copy(room, bytes.length)
    bytes = room.subarray(0, bytes.length + chunk.length)
  }

  /** Everything before this place is done with. */
  function use(to: number): void {
    if (to >= bytes.length) clear()
    else at = to
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
