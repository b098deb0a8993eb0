const FREE = 0

/** Where all threads of a process see who scans: one of them at a time, because one reader does it. */
export interface ScanSlotAddress {
  readonly memory: SharedArrayBuffer
  /** The number of the thread that is given it; never 0. */
  readonly own: number
}

export function createScanSlot({ memory, own }: ScanSlotAddress) {
  const words = new Int32Array(memory)
  return { take, release, isTaken, isTakenByOther, whenFree }

  function take(): boolean {
    return Atomics.compareExchange(words, 0, FREE, own) === FREE
  }

  /** Only its own: also after a thread has died, whose slot is released for it. */
  function release(): void {
    if (Atomics.compareExchange(words, 0, own, FREE) === own) Atomics.notify(words, 0)
  }

  function isTaken(): boolean {
    return Atomics.load(words, 0) !== FREE
  }

  function isTakenByOther(): boolean {
    const holder = Atomics.load(words, 0)
    return holder !== FREE && holder !== own
  }

  /** Calls back once the present holder is no longer it. */
  function whenFree(then: () => void): void {
    const holder = Atomics.load(words, 0)
    if (holder === FREE) return void setImmediate(then)
    const { value } = Atomics.waitAsync(words, 0, holder)
    void Promise.resolve(value).then(then)
  }
}
