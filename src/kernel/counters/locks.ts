const SPINS = 200
const NAP_MS = 1
const NAPS_BEFORE_SEIZING = 2_000
const SEQUENCE_BITS = 16
const MAX_OWNER = 0x7fff

/**
 * One lock word per bucket: 0 is free, otherwise the owner's id and a running number that tells one
 * holding from the next. Whoever waits blocks its thread, which is right for sections below a
 * microsecond.
 *
 * A thread that is terminated inside its section leaves the lock taken. `releaseOwner` frees it;
 * should the supervisor itself be the one that waits, a lock that stays in one holding for 2,000
 * naps is seized. Naps are counted, not time, so a process that was stopped as a whole (SIGSTOP, a
 * suspended machine) seizes nothing.
 */
export function createLocks(words: Int32Array<SharedArrayBuffer>, ownerId: number) {
  if (!Number.isInteger(ownerId) || ownerId < 1 || ownerId > MAX_OWNER) {
    throw new RangeError(`The owner id ${ownerId} is not between 1 and ${MAX_OWNER}`)
  }
  let sequence = 0
  return { lock, unlock, releaseOwner }

  /** Returns the word that `unlock` needs. Lock several buckets only in ascending order. */
  function lock(bucket: number): number {
    sequence = (sequence + 1) & ((1 << SEQUENCE_BITS) - 1)
    const mine = (ownerId << SEQUENCE_BITS) | sequence
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(words, bucket, 0, mine) === 0) return mine
    }
    return lockWithNaps(bucket, mine)
  }

  function lockWithNaps(bucket: number, mine: number): number {
    let held = 0
    for (let naps = 0; ; naps++) {
      const found = Atomics.compareExchange(words, bucket, 0, mine)
      if (found === 0) return mine
      if (found !== held) {
        held = found
        naps = 0
      }
      if (naps > NAPS_BEFORE_SEIZING) {
        if (Atomics.compareExchange(words, bucket, held, mine) === held) return mine
      }
      // Nobody notifies: that would cost every unlock more than a nap costs the rare waiter.
      Atomics.wait(words, bucket, held, NAP_MS)
    }
  }

  /** Frees the lock unless it was seized meanwhile. */
  function unlock(bucket: number, mine: number): void {
    Atomics.compareExchange(words, bucket, mine, 0)
  }

  /** Frees what a dead thread still holds. Its id may be given to another thread only after this. */
  function releaseOwner(deadOwnerId: number): void {
    for (let bucket = 0; bucket < words.length; bucket++) {
      const held = Atomics.load(words, bucket)
      if (held >>> SEQUENCE_BITS === deadOwnerId) Atomics.compareExchange(words, bucket, held, 0)
    }
  }
}

export type Locks = ReturnType<typeof createLocks>
