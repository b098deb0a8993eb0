/** More sequences than anybody has types. */
const SLOTS = 65_536

/** For all threads of a process. */
export function newNumbers(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)
}

/**
 * The last number given of each sequence. The stored one may be behind, as writes that use later ones are under
 * way, or ahead after a start; what was given and never stored is lost with the process, and nobody has seen it.
 */
export function shareNumbers(memory: SharedArrayBuffer) {
  const lasts = new BigInt64Array(memory)
  return { take, takeKnown, isKnown, forget }

  /** The last of so many numbers. */
  function take(slot: number, stored: number, count: number): number {
    if (slot >= SLOTS) throw new Error(`there are more than ${SLOTS} sequences`)
    for (;;) {
      const last = Atomics.load(lasts, slot)
      const taken = (last > stored ? last : BigInt(stored)) + BigInt(count)
      if (Atomics.compareExchange(lasts, slot, last, taken) === last) return Number(taken)
    }
  }

  /** The same without the stored one, which is not ahead of what was given since. */
  function takeKnown(slot: number, count: number): number | undefined {
    for (;;) {
      const last = Atomics.load(lasts, slot)
      if (last === 0n) return undefined
      const taken = last + BigInt(count)
      if (Atomics.compareExchange(lasts, slot, last, taken) === last) return Number(taken)
    }
  }

  /** Whether a number of it was given since the start. */
  function isKnown(slot: number): boolean {
    return Atomics.load(lasts, slot) > 0n
  }

  /** The slot belongs to a new sequence. */
  function forget(slot: number): null {
    if (slot < SLOTS) Atomics.store(lasts, slot, 0n)
    return null
  }
}

export type SharedNumbers = ReturnType<typeof shareNumbers>
