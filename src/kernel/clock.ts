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
  // A plain number: it is read for every request, and one of 64 bits is never seen half written.
  const offset = new Float64Array(shared)
  return {
    shared,
    now: () => Date.now() + offsetMs(),
    offsetMs,
    setOffset: (ms) => {
      offset[0] = Math.trunc(ms)
    },
  }

  function offsetMs() {
    return offset[0] ?? 0
  }
}
