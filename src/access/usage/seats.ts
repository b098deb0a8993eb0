import { type Actor, DomainError } from '#kernel'

const MAX_STREAMS = 10

/** How many streams a key may have open at once, on this node; a sign-in counts by its user. */
export function createSeats() {
  const taken = new Map<string, number>()
  return { take }

  /** Returns what gives the seat back, once however often it is called. */
  function take({ apiKeyId, userId }: Actor): () => void {
    const name = apiKeyId === null ? `user ${userId}` : `key ${apiKeyId}`
    const count = taken.get(name) ?? 0
    if (count >= MAX_STREAMS) {
      const message = `At most ${MAX_STREAMS} usage streams can be open for one key`
      throw new DomainError('limited', 'too_many_streams', message)
    }
    taken.set(name, count + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (taken.get(name) ?? 1) - 1
      if (left > 0) taken.set(name, left)
      else taken.delete(name)
    }
  }
}
