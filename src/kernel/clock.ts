/** The only source of time. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
  /** What a store adds to its own clock, so that tests can move time for all threads at once. */
  offsetMs(): number
}

export interface MovableClock extends Clock {
  setOffset(offsetMs: number): void
  /** Hand this to another thread's `createClock`; both then share one time. */
  readonly shared: SharedArrayBuffer
}

export function createClock(shared = new SharedArrayBuffer(8)): MovableClock {
  const offset = new BigInt64Array(shared)
  return {
    shared,
    now: () => Date.now() + offsetMs(),
    offsetMs,
    setOffset: (ms) => {
      Atomics.store(offset, 0, BigInt(Math.trunc(ms)))
    },
  }

  function offsetMs() {
    return Number(Atomics.load(offset, 0))
  }
}
