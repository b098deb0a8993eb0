import type { MessagePort } from 'node:worker_threads'
import { createLane, type Lane } from './lane.ts'
import type { FileName, ReplacedThread, Reply, SqlValue, StorageAddress } from './protocol.ts'

export type Rows = Extract<Reply, { rows: unknown }>

export interface Timeouts {
  readonly readMs: number
  readonly scanMs: number
}

/** More than one in flight keeps a reader busy while answers travel; more would queue behind it. */
const IN_FLIGHT_PER_READER = 2
const WRITE_TIMEOUT_MS = 60_000

interface Waiting {
  readonly kind: 'read' | 'scan'
  run(lane: Lane, index: number): Promise<unknown>
}

/**
 * A thread's way to the storage threads. Reads go to whichever reader is free; scans only to the
 * last one, so that a reader is always left for short queries.
 */
export function createStorageClient(address: StorageAddress, timeouts: Timeouts) {
  const writer = createLane(address.writer)
  const readers = address.readers.map((port) => createLane(port))
  const queue: Waiting[] = []
  const scanner = readers.length - 1
  let scanning = false
  let lastSession = 0

  address.control.on('message', replaced)
  address.control.unref()

  return { session, write, begin, finish, read, stream, close }

  function session(): number {
    return ++lastSession
  }

  function write(
    file: FileName,
    session: number,
    inTransaction: boolean,
    sql: string,
    params: readonly SqlValue[],
  ): Promise<Rows> {
    const timeoutMs = WRITE_TIMEOUT_MS
    return writer.send({ op: 'query', session, file, sql, params, timeoutMs, inTransaction })
  }

  function begin(file: FileName, session: number) {
    return writer.send({ op: 'begin', session, file })
  }

  function finish(file: FileName, session: number, how: 'commit' | 'rollback') {
    return writer.send({ op: how, session, file })
  }

  function read(
    file: FileName,
    kind: 'read' | 'scan',
    sql: string,
    params: readonly SqlValue[],
  ): Promise<Rows> {
    const timeoutMs = kind === 'scan' ? timeouts.scanMs : timeouts.readMs
    return new Promise((resolve, reject) => {
      queue.push({
        kind,
        run: (lane, index) =>
          lane
            .send(
              { op: 'query', session: 0, file, sql, params, timeoutMs, inTransaction: false },
              { timeoutMs, onTimeout: () => reportStuck(index), repeatable: true },
            )
            .then(resolve, reject),
      })
      dispatch()
    })
  }

  /** Rows in chunks, all from one snapshot; leaving the loop early closes it. */
  async function* stream(
    file: FileName,
    sql: string,
    params: readonly SqlValue[],
    chunkSize: number,
  ): AsyncGenerator<Rows> {
    const own = session()
    const lane = readers.toSorted((a, b) => a.inFlight - b.inFlight)[0]
    if (!lane) throw new Error('no reader')
    let chunk = await lane.send({ op: 'open', session: own, file, sql, params, chunkSize })
    try {
      while (!chunk.done) {
        if (chunk.rows.length > 0) yield chunk
        chunk = await lane.send({ op: 'next', session: own })
      }
      if (chunk.rows.length > 0) yield chunk
    } finally {
      if (!chunk.done) await lane.send({ op: 'close', session: own })
    }
  }

  function dispatch() {
    for (let at = 0; at < queue.length; ) {
      const waiting = queue[at]
      const index = waiting && freeReader(waiting.kind)
      const lane = index === undefined ? undefined : readers[index]
      if (!waiting || index === undefined || !lane) {
        at++
        continue
      }
      queue.splice(at, 1)
      if (waiting.kind === 'scan') scanning = true
      void waiting.run(lane, index).finally(() => {
        if (waiting.kind === 'scan') scanning = false
        dispatch()
      })
    }
  }

  function freeReader(kind: 'read' | 'scan'): number | undefined {
    if (kind === 'scan') {
      return !scanning && readers[scanner]?.inFlight === 0 ? scanner : undefined
    }
    let best: number | undefined
    for (const [index, lane] of readers.entries()) {
      if (lane.inFlight >= IN_FLIGHT_PER_READER || (scanning && index === scanner)) continue
      if (best === undefined || lane.inFlight < (readers[best]?.inFlight ?? 0)) best = index
    }
    return best
  }

  function reportStuck(index: number) {
    address.control.postMessage({ stuck: index })
  }

  function replaced({ role, index, port }: ReplacedThread) {
    const lane = role === 'writer' ? writer : readers[index]
    lane?.replace(port)
    dispatch()
  }

  function close() {
    for (const port of [address.control, ...ports()]) port.close()
  }

  function ports(): MessagePort[] {
    return [writer.port(), ...readers.map((lane) => lane.port())]
  }
}

export type StorageClient = ReturnType<typeof createStorageClient>
