import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { AskKind, Batch, BatchResult } from '../ask.ts'
import { type Channel, createChannel, type Unsent } from './channel.ts'
import { StorageError } from './errors.ts'
import type {
  FileName,
  ReplacedThread,
  Reply,
  SqlValue,
  StepRequest,
  StorageAddress,
} from './protocol.ts'
import { createScanSlot } from './scan-slot.ts'

export type Rows = Extract<Reply, { rows: unknown }>

export interface Timeouts {
  readonly readMs: number
  readonly scanMs: number
}

/**
 * More than one in flight keeps a reader busy while answers travel, and some more spare both sides the
 * waking: four instead of two are a tenth more reads. Each further one may wait behind a slow one.
 */
const IN_FLIGHT_PER_READER = 4
const WRITE_TIMEOUT_MS = 60_000
/** Behind so many scans that use all of their time another one waits. */
const SCANS_WAITED_FOR = 2
/** So long a reader tries what may be a scan; what takes longer is left to the scanner. */
const TRY_MS = 50

interface Waiting {
  readonly kind: 'read' | 'scan'
  /** `ended` is called when the channel has answered, however. */
  run(channel: Channel, ended: () => void): void
  refuse(error: Error): void
}

/**
 * A thread's way to the storage threads. Reads go to whichever reader is free; scans only to the
 * last one, so that a reader is always left for short queries. One thread of the process scans at a time, and
 * meanwhile none sends short queries there. A scan that is cut short is refused and never repeated.
 */
export function createStorageClient(address: StorageAddress, timeouts: Timeouts) {
  const slot = createScanSlot(address.scans)
  const writer = createChannel(address.writer, { onStuck: () => {}, isHeldUp: () => false })
  const readers = address.readers.map((port, index) =>
    createChannel(port, {
      onStuck: () => reportStuck(index),
      isHeldUp: () => index === address.readers.length - 1 && slot.isTakenByOther(),
    }),
  )
  const queues: Record<'read' | 'scan', Waiting[]> = { read: [], scan: [] }
  const scanner = readers.at(-1)
  let isAwaitingSlot = false
  const numbers = new WeakMap<Batch, number>()
  const knownTo = new Map(readers.map((channel) => [channel, new WeakSet<Batch>()]))
  let lastSession = 0
  let lastBatch = 0

  address.control.on('message', replaced)
  address.control.unref()

  return { session, write, begin, finish, carryOut, read, ask, stream, close }

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

  /** `done` of the answer says whether it happened; its rows are the first of each step that returns some. */
  function carryOut(file: FileName, steps: readonly StepRequest[]): Promise<Rows> {
    const timeoutMs = WRITE_TIMEOUT_MS
    return writer.send({ op: 'carryOut', session: session(), file, steps, timeoutMs })
  }

  function read(
    file: FileName,
    kind: 'read' | 'scan',
    sql: string,
    params: readonly SqlValue[],
  ): Promise<Rows> {
    const timeoutMs = kind === 'scan' ? timeouts.scanMs : timeouts.readMs
    return new Promise((resolve, reject) => {
      const query = { session: 0, file, sql, params, timeoutMs, inTransaction: false }
      enter({
        ...{ kind, refuse: reject },
        run: (channel, ended) =>
          void channel
            .send({ op: 'query', ...query }, { timeoutMs, repeatable: kind === 'read' })
            .then(resolve, reject)
            .then(ended),
      })
    })
  }

  function ask(
    file: FileName,
    kind: AskKind,
    batch: Batch,
    parameters: readonly (readonly SqlValue[])[],
  ): Promise<BatchResult> {
    const asked = askAs(file, kind, batch, parameters)
    if (kind !== 'try') return asked
    return asked.catch((error: unknown) => {
      if (!(error instanceof StorageError) || error.code !== 'query_timeout') throw error
      return askAs(file, 'scan', batch, parameters)
    })
  }

  function askAs(
    file: FileName,
    kind: AskKind,
    batch: Batch,
    parameters: readonly (readonly SqlValue[])[],
  ): Promise<BatchResult> {
    const isScan = kind === 'scan'
    const timeoutMs = isScan ? timeouts.scanMs : timeouts.readMs
    const deadlineMs = kind === 'try' ? Math.min(TRY_MS, timeoutMs) : timeoutMs
    const number = numberOf(batch)
    return new Promise((resolve, reject) => {
      enter({
        ...{ kind: isScan ? 'scan' : 'read', refuse: reject },
        run: (channel, ended) => post(channel, takeNote(channel), ended),
      })

      function post(channel: Channel, isKnown: boolean, ended: () => void) {
        const sent = isKnown ? null : batch
        channel.ask(
          (id) => [id, file, number, sent, parameters, deadlineMs],
          { timeoutMs, repeatable: !isScan },
          ([, rows, tookMs]) => {
            // It may have forgotten the batch, or be the successor of the thread that knew it.
            if (!rows) return post(channel, false, ended)
            resolve({ rows, tookMs })
            ended()
          },
          (error) => {
            reject(error)
            ended()
          },
        )
      }
    })

    /** Whether the channel's thread was told the batch before. */
    function takeNote(channel: Channel): boolean {
      const known = knownTo.get(channel)
      const isKnown = known?.has(batch) === true
      if (!isKnown) known?.add(batch)
      return isKnown
    }
  }

  function numberOf(batch: Batch): number {
    const known = numbers.get(batch)
    if (known !== undefined) return known
    numbers.set(batch, ++lastBatch)
    return lastBatch
  }

  /** Rows in chunks, all from one snapshot; leaving the loop early closes it. */
  async function* stream(
    file: FileName,
    sql: string,
    params: readonly SqlValue[],
    chunkSize: number,
  ): AsyncGenerator<Rows> {
    const own = session()
    const channel = streamChannel()
    let chunk = await ask({ op: 'open', session: own, file, sql, params, chunkSize })
    try {
      while (!chunk.done) {
        if (chunk.rows.length > 0) yield chunk
        // Node takes up to 1,000 messages of one port in a row: without a pause a fast exchange would
        // keep everything else of this thread waiting until the stream ends.
        await nextTurn()
        chunk = await ask({ op: 'next', session: own })
      }
      if (chunk.rows.length > 0) yield chunk
    } finally {
      if (!chunk.done) await ask({ op: 'close', session: own })
    }

    /** The reader may have become free for what waits in the queue. */
    function ask(request: Unsent): Promise<Rows> {
      return channel.send(request).finally(dispatch)
    }
  }

  function streamChannel(): Channel {
    const usable = readers.filter((channel) => !(channel === scanner && slot.isTaken()))
    const [channel] = usable.sort((a, b) => a.inFlight - b.inFlight)
    return channel ?? writer
  }

  /** In order: whoever waits already comes first. */
  function enter(waiting: Waiting) {
    const queue = queues[waiting.kind]
    queue.push(waiting)
    dispatch()
    if (waiting.kind === 'scan' && queue.includes(waiting)) refuseLater(waiting)
  }

  /** Behind long scans it is better to hear so than to wait without end. */
  function refuseLater(waiting: Waiting) {
    const late = () => {
      const at = queues.scan.indexOf(waiting)
      if (at < 0) return
      queues.scan.splice(at, 1)
      waiting.refuse(
        new StorageError('scan_refused', 'Others are searching; the query waited too long'),
      )
    }
    setTimeout(late, timeouts.scanMs * SCANS_WAITED_FOR).unref()
  }

  function dispatch() {
    startWaiting('read')
    startWaiting('scan')
  }

  /** Under load many wait: as soon as nobody is free for one of a kind, the others need not be asked. */
  function startWaiting(kind: 'read' | 'scan') {
    const own = queues[kind]
    while (own.length > 0) {
      const channel = freeReader(kind)
      const waiting = channel && own.shift()
      if (!waiting) return
      start(waiting, channel)
    }
  }

  function start({ kind, run }: Waiting, channel: Channel) {
    run(channel, () => {
      if (kind === 'scan') slot.release()
      dispatch()
    })
  }

  function freeReader(kind: 'read' | 'scan'): Channel | undefined {
    if (kind === 'scan')
      return scanner?.inFlight === 0 && !scanner.isAway && takeSlot() ? scanner : undefined
    let best: Channel | undefined
    for (const channel of readers) {
      if (channel.inFlight >= IN_FLIGHT_PER_READER || channel.isAway) continue
      if (channel === scanner && slot.isTaken()) continue
      if (!best || channel.inFlight < best.inFlight) best = channel
    }
    return best
  }

  /** When another thread has it, the queues are looked at again once that thread is done. */
  function takeSlot(): boolean {
    if (slot.take()) return true
    if (isAwaitingSlot || !slot.isTakenByOther()) return false
    isAwaitingSlot = true
    slot.whenFree(() => {
      isAwaitingSlot = false
      dispatch()
    })
    return false
  }

  function reportStuck(index: number) {
    address.control.postMessage({ stuck: index })
  }

  function replaced({ role, index, port }: ReplacedThread) {
    const channel = role === 'writer' ? writer : readers[index]
    channel?.replace(port)
    dispatch()
  }

  function close() {
    for (const port of [address.control, ...ports()]) port.close()
  }

  function ports(): MessagePort[] {
    return [writer.port(), ...readers.map((channel) => channel.port())]
  }
}

export type StorageClient = ReturnType<typeof createStorageClient>
