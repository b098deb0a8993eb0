import type { Random } from '../random.ts'
import { type HashedName, hashName } from './hash.ts'

const BUCKET_SLOTS = 64
const MAGIC = 0x43544e45
const VERSION = 2
const LINE_BYTES = 64
const HEADER = { magic: 0, version: 4, capacity: 8, key0: 12, key1: 16 }
const COLUMN_COUNT = 6

/** A table of `capacity` counters, a power of two. Its pages take memory only once they are used. */
export function createTable(capacity: number, random: Random): SharedArrayBuffer {
  if (!Number.isInteger(Math.log2(capacity)) || capacity < BUCKET_SLOTS) {
    throw new RangeError(`The capacity ${capacity} is not a power of two from ${BUCKET_SLOTS} on`)
  }
  const shared = new SharedArrayBuffer(layout(capacity).totalBytes)
  const header = new DataView(shared)
  header.setUint32(HEADER.capacity, capacity, true)
  header.setUint32(HEADER.key0, random.bytes(4).readUInt32LE(), true)
  header.setUint32(HEADER.key1, random.bytes(4).readUInt32LE(), true)
  header.setUint32(HEADER.version, VERSION, true)
  header.setUint32(HEADER.magic, MAGIC, true)
  return shared
}

/**
 * The memory of the shared counters, without any rule of counting. Everything in a bucket is read
 * and written only under the bucket's lock. A slot is in use while its end lies ahead, so a write
 * of the end is what makes or frees it.
 */
export function openTable(shared: SharedArrayBuffer) {
  const view = new DataView(shared)
  if (view.getUint32(HEADER.magic, true) !== MAGIC) {
    throw new TypeError('This shared memory is not a table of counters')
  }
  const capacity = view.getUint32(HEADER.capacity, true)
  const { buckets, locksAt, lowKeysAt, highKeysAt, columns } = layout(capacity)
  const lockWords = new Int32Array(shared, locksAt, buckets)
  return {
    capacity,
    buckets,
    columns,
    lockWords,
    hash,
    bucketOf,
    find,
    findFree,
    claim,
    restart,
    keyOf,
    slotsOf,
    isUnused,
    get,
    set,
    secret,
    adoptSecret,
  }

  function hash(name: string): HashedName {
    return hashName(name, view.getUint32(HEADER.key0, true), view.getUint32(HEADER.key1, true))
  }

  function bucketOf({ low }: HashedName): number {
    return low & (buckets - 1)
  }

  /** The slot of this key, whether its window is over or not; -1 when there is none. */
  function find(bucket: number, { low, high }: HashedName): number {
    const first = bucket * BUCKET_SLOTS
    for (let slot = first; slot < first + BUCKET_SLOTS; slot++) {
      const found = view.getUint32(lowKeysAt + slot * 4, true)
      if (found === low && view.getUint32(highKeysAt + slot * 4, true) === high) return slot
      // Slots are taken from the first on, so behind an unused one there are no others.
      if (found === 0 && view.getUint32(highKeysAt + slot * 4, true) === 0) return -1
    }
    return -1
  }

  /** The first slot at or after `from` whose window is over; -1 when the bucket is full. */
  function findFree(bucket: number, nowMs: number, from = bucket * BUCKET_SLOTS): number {
    const end = (bucket + 1) * BUCKET_SLOTS
    for (let slot = from; slot < end; slot++) {
      if (get(columns.endsAtMs, slot) <= nowMs) return slot
    }
    return -1
  }

  /**
   * Starts a window at zero. The end is cleared first and written last: a thread that dies in
   * between leaves a free slot, never a counter with a stranger's count.
   */
  function claim(slot: number, { low, high }: HashedName, endsAtMs: number): void {
    set(columns.endsAtMs, slot, 0)
    view.setUint32(lowKeysAt + slot * 4, low, true)
    view.setUint32(highKeysAt + slot * 4, high, true)
    set(columns.value, slot, 0)
    // Writing zero over zero would commit the pages of columns that only some tables use.
    if (get(columns.owed, slot) !== 0) set(columns.owed, slot, 0)
    if (get(columns.sent, slot) !== 0) set(columns.sent, slot, 0)
    if (get(columns.seenAtMs, slot) !== 0) set(columns.seenAtMs, slot, 0)
    if (get(columns.epoch, slot) !== 0) set(columns.epoch, slot, 0)
    set(columns.endsAtMs, slot, endsAtMs)
  }

  /** Begins the count of a running window anew, from a seed. */
  function restart(slot: number, value: number, epoch: number): void {
    set(columns.value, slot, value)
    if (get(columns.owed, slot) !== 0) set(columns.owed, slot, 0)
    if (get(columns.sent, slot) !== 0) set(columns.sent, slot, 0)
    set(columns.epoch, slot, epoch)
  }

  function keyOf(slot: number): HashedName {
    return {
      low: view.getUint32(lowKeysAt + slot * 4, true),
      high: view.getUint32(highKeysAt + slot * 4, true),
    }
  }

  function* slotsOf(bucket: number): Iterable<number> {
    const first = bucket * BUCKET_SLOTS
    for (let slot = first; slot < first + BUCKET_SLOTS; slot++) yield slot
  }

  /** Slots are taken from the first on, so that one tells. */
  function isUnused(bucket: number): boolean {
    const { low, high } = keyOf(bucket * BUCKET_SLOTS)
    return low === 0 && high === 0
  }

  function get(column: number, slot: number): number {
    return view.getFloat64(column + slot * 8, true)
  }

  function set(column: number, slot: number, value: number): void {
    view.setFloat64(column + slot * 8, value, true)
  }

  function secret(): HashedName {
    return { low: view.getUint32(HEADER.key0, true), high: view.getUint32(HEADER.key1, true) }
  }

  /** Only for a table without counters: those it has could not be found again. */
  function adoptSecret({ low, high }: HashedName): void {
    view.setUint32(HEADER.key0, low, true)
    view.setUint32(HEADER.key1, high, true)
  }
}

export type Table = ReturnType<typeof openTable>

/**
 * Header, lock words, keys, then one column of 64-bit numbers per fact. Columns keep the scan of a
 * bucket within a few cache lines.
 */
function layout(capacity: number) {
  const buckets = capacity / BUCKET_SLOTS
  const locksAt = LINE_BYTES
  const lowKeysAt = locksAt + Math.ceil((buckets * 4) / LINE_BYTES) * LINE_BYTES
  const highKeysAt = lowKeysAt + capacity * 4
  const columnAt = (index: number) => highKeysAt + capacity * 4 + index * capacity * 8
  const columns = {
    endsAtMs: columnAt(0),
    /** The count; where a store holds the truth, the last value seen there. */
    value: columnAt(1),
    /** Counted here while the store was away, on top of `value`. */
    owed: columnAt(2),
    /** The part of `owed` that a call under way may be bringing to the store. */
    sent: columnAt(3),
    /** The store's time at which `value` was true. */
    seenAtMs: columnAt(4),
    /** Of the seed that the count began with; 0 when it began at zero. */
    epoch: columnAt(5),
  }
  return { buckets, locksAt, lowKeysAt, highKeysAt, columns, totalBytes: columnAt(COLUMN_COUNT) }
}
