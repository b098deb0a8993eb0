/** What a thread needs to write into the journal of its process. */
export interface JournalAddress {
  readonly directory: string
  /** This start of the process; no other start, on any machine, has the same. */
  readonly boot: string
  readonly shared: SharedArrayBuffer
  readonly maxSegmentBytes: number
  readonly maxSegmentAgeMs: number
  /** What may wait for the database, over all threads and earlier starts. */
  readonly maxTotalBytes: number
}

export const SHARED_BYTES = 24
const RECORDS = 0
const BELL = 1
const WRITERS = 2
/** So many new records wake the drain before its second is over. */
const RING_AT_RECORDS = 500

/** What all threads of a process know together about its journal. */
export function openTally(shared: SharedArrayBuffer) {
  const waiting = new BigInt64Array(shared, 0, 1)
  const cells = new Int32Array(shared, 8, 3)
  return { newWriter, reserve, release, waitingBytes, ring, beginPass, untilRung }

  function newWriter(): number {
    return Atomics.add(cells, WRITERS, 1) + 1
  }

  /** Counts bytes about to be written; false, and nothing counted, when they pass the limit. */
  function reserve(bytes: number, records: number, limit: number): boolean {
    const size = BigInt(bytes)
    if (Number(Atomics.add(waiting, 0, size)) + bytes > limit) {
      Atomics.sub(waiting, 0, size)
      return false
    }
    const before = Atomics.add(cells, RECORDS, records)
    if (before < RING_AT_RECORDS && before + records >= RING_AT_RECORDS) ring()
    return true
  }

  /** The bytes are in the database, or were not written after all. */
  function release(bytes: number) {
    Atomics.sub(waiting, 0, BigInt(bytes))
  }

  function waitingBytes(): number {
    return Number(Atomics.load(waiting, 0))
  }

  function ring() {
    Atomics.add(cells, BELL, 1)
    Atomics.notify(cells, BELL)
  }

  function beginPass() {
    Atomics.store(cells, RECORDS, 0)
  }

  /** Resolves when enough records are new, somebody rang, or the time is over. */
  async function untilRung(timeoutMs: number): Promise<void> {
    if (Atomics.load(cells, RECORDS) >= RING_AT_RECORDS) return
    await Atomics.waitAsync(cells, BELL, Atomics.load(cells, BELL), timeoutMs).value
  }
}

export type JournalTally = ReturnType<typeof openTally>
