/**
 * What gateway threads and the control plane share: cursors of balancers, health of nodes and
 * requests under way. So counts are exact over all threads, and a probe acts in all of them.
 */
const CURSORS = 16_384
const NODES = 16_384
const FIELDS = 8
const VERSION = 0

const STATE = 0
/** After the counted outcomes: the decayed latency in microseconds, and when it was measured. */
const LATENCY = 5
const MEASURED_AT = 6
/** How many nodes have had the slot before. */
const TENANT = 7
const HEALTHY = 0
const UNHEALTHY = 1

/** The outcomes that are counted, in a row; each resets those that contradict it. */
const OUTCOMES = ['success', 'http_failure', 'tcp_failure', 'timeout_failure'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What was measured this long ago counts for a third. */
const DECAY_MS = 10_000
const MAX_US = 2 ** 31 - 1

/** No slot was left: counted by the thread alone, and always taken for healthy. */
export const NO_SLOT = -1

// The slot of a node is its place in the memory and which tenant of that place the node is, in one
// number: requests that outlive their node must not count for the one that has its place after it.

export function sharedBytes(threads: number): number {
  return 4 * (1 + CURSORS + NODES * FIELDS + NODES * threads + 1)
}

export interface NodeReport {
  readonly healthy: boolean
  readonly counter: Record<Outcome, number>
}

/** A view of the shared memory; every thread makes its own. */
export function openMemory(shared: SharedArrayBuffer) {
  const words = new Int32Array(shared)
  const nodesAt = 1 + CURSORS
  const busyAt = nodesAt + NODES * FIELDS
  const threads = Math.floor((words.length - busyAt) / NODES)
  const generationAt = words.length - 1
  return {
    next,
    version,
    isHealthy,
    report,
    busy,
    addBusy,
    removeBusy,
    observe,
    latency,
    clearThread,
    beginGeneration,
    generation,
    move,
    slotAt,
    inspect,
  }

  /** The position of this request in the cycle of a balancer; every position is given out once. */
  function next(cursor: number, length: number): number {
    return (Atomics.add(words, 1 + cursor, 1) >>> 0) % length
  }

  /** Grows with every change of any node's health. */
  function version(): number {
    return Atomics.load(words, VERSION)
  }

  function isHealthy(slot: number): boolean {
    return !isTenant(slot) || Atomics.load(words, at(slot, STATE)) === HEALTHY
  }

  /** Counts an outcome; true when it changed the node's state. */
  function report(slot: number, outcome: Outcome, threshold: number): boolean {
    if (!isTenant(slot)) return false
    const field = 1 + OUTCOMES.indexOf(outcome)
    const isSuccess = outcome === 'success'
    for (let other = 1; other <= OUTCOMES.length; other++) {
      if ((other === 1) !== isSuccess) Atomics.store(words, at(slot, other), 0)
    }
    const count = Atomics.add(words, at(slot, field), 1) + 1
    if (threshold <= 0 || count < threshold) return false
    const [from, to] = isSuccess ? [UNHEALTHY, HEALTHY] : [HEALTHY, UNHEALTHY]
    if (Atomics.compareExchange(words, at(slot, STATE), from, to) !== from) return false
    Atomics.add(words, VERSION, 1)
    return true
  }

  /** Requests under way to a node, over all threads. */
  function busy(slot: number): number {
    if (!isTenant(slot)) return 0
    let sum = 0
    for (let threadNo = 0; threadNo < threads; threadNo++)
      sum += Atomics.load(words, busyPlace(slot, threadNo))
    return sum
  }

  function addBusy(slot: number, threadNo: number): void {
    if (isTenant(slot)) Atomics.add(words, busyPlace(slot, threadNo), 1)
  }

  function removeBusy(slot: number, threadNo: number): void {
    if (isTenant(slot)) Atomics.sub(words, busyPlace(slot, threadNo), 1)
  }

  /**
   * An answer took so long. Threads that measure at the same moment may lose one of their figures:
   * a mean bears that.
   */
  function observe(slot: number, ms: number, nowMs: number): void {
    if (!isTenant(slot)) return
    const us = Math.min(Math.round(ms * 1000), MAX_US)
    const before = Atomics.load(words, at(slot, LATENCY))
    const fading = fadingOf(slot, nowMs)
    const mean = before === 0 ? us : before * fading + us * (1 - fading)
    Atomics.store(words, at(slot, LATENCY), Math.max(1, Math.round(mean)))
    Atomics.store(words, at(slot, MEASURED_AT), nowMs | 0)
  }

  /** In milliseconds; 0 for a node that was not asked yet, and towards 0 for one not asked of late. */
  function latency(slot: number, nowMs: number): number {
    if (!isTenant(slot)) return 0
    return (Atomics.load(words, at(slot, LATENCY)) / 1000) * fadingOf(slot, nowMs)
  }

  function fadingOf(slot: number, nowMs: number): number {
    const sinceMs = ((nowMs | 0) - Atomics.load(words, at(slot, MEASURED_AT))) | 0
    return Math.exp(-Math.max(0, sinceMs) / DECAY_MS)
  }

  /** The requests of a thread that has ended are over. */
  function clearThread(threadNo: number): void {
    words.fill(0, busyAt + threadNo * NODES, busyAt + (threadNo + 1) * NODES)
    Atomics.add(words, generationAt, 1)
  }

  /** By the control plane at its start, with a number that no start before had. */
  function beginGeneration(first: number): void {
    Atomics.store(words, generationAt, first)
  }

  /** Another number once a thread has ended: what that thread had under way counts no longer. */
  function generation(): number {
    return Atomics.load(words, generationAt)
  }

  /** A node that gets a place starts healthy and idle, whatever the one before has open. */
  function move(place: number): number {
    Atomics.add(words, at(place, TENANT), 1)
    for (let field = 0; field < TENANT; field++) Atomics.store(words, at(place, field), 0)
    for (let threadNo = 0; threadNo < threads; threadNo++)
      Atomics.store(words, busyPlace(place, threadNo), 0)
    Atomics.add(words, VERSION, 1)
    return slotAt(place)
  }

  /** Of the node that has the place now. */
  function slotAt(place: number): number {
    return tenantAt(place) * NODES + place
  }

  function inspect(slot: number): NodeReport {
    const isKnown = isTenant(slot)
    const [success = 0, http = 0, tcp = 0, timeout = 0] = OUTCOMES.map((_, index) =>
      isKnown ? Atomics.load(words, at(slot, 1 + index)) : 0,
    )
    const counter = { success, http_failure: http, tcp_failure: tcp, timeout_failure: timeout }
    return { healthy: isHealthy(slot), counter }
  }

  /** False: there is no slot, or another node has got its place. */
  function isTenant(slot: number): boolean {
    return slot !== NO_SLOT && tenantAt(slot % NODES) === Math.floor(slot / NODES)
  }

  function tenantAt(place: number): number {
    return Atomics.load(words, at(place, TENANT)) >>> 0
  }

  function at(slot: number, field: number): number {
    return nodesAt + (slot % NODES) * FIELDS + field
  }

  function busyPlace(slot: number, threadNo: number): number {
    return busyAt + threadNo * NODES + (slot % NODES)
  }
}

export type Memory = ReturnType<typeof openMemory>

/** Gives out slots in the shared memory by name; only the control plane does. */
export function createSlots(memory: Memory) {
  const cursors = createShelf(CURSORS)
  const nodes = createShelf(NODES)
  return { cursor: cursors.take, node, freeCursor: cursors.free, freeNode: nodes.free }

  function node(name: string): number {
    const isKnown = nodes.has(name)
    const place = nodes.take(name)
    if (place === NO_SLOT) return NO_SLOT
    return isKnown ? memory.slotAt(place) : memory.move(place)
  }
}

export type Slots = ReturnType<typeof createSlots>

function createShelf(size: number) {
  const taken = new Map<string, number>()
  const freed: number[] = []
  let unused = 0
  return { take, free, has: (name: string) => taken.has(name) }

  function take(name: string): number {
    const found = taken.get(name)
    if (found !== undefined) return found
    const slot = freed.pop() ?? (unused < size ? unused++ : NO_SLOT)
    if (slot !== NO_SLOT) taken.set(name, slot)
    return slot
  }

  function free(name: string): void {
    const slot = taken.get(name)
    if (slot === undefined) return
    taken.delete(name)
    freed.push(slot)
  }
}
