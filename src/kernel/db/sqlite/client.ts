import type { AskKind, Batch, BatchResult } from '../ask.ts'
import { type Channel, createChannel } from './channel.ts'
import { StorageError } from './errors.ts'
import { createPlanSender } from './plan-sender.ts'
import {
  type FileName,
  type ReplacedThread,
  type Reply,
  type SqlValue,
  type StorageAddress,
  WRITE_TIMEOUT_MS,
} from './protocol.ts'
import { createReaderQueue } from './reader-queue.ts'

export type Rows = Extract<Reply, { rows: unknown }>

export interface Timeouts {
  readonly readMs: number
  readonly scanMs: number
}

/** So long a reader tries what may be a scan; what takes longer is left to the scanner. */
const TRY_MS = 50

/** A thread's way to the storage threads. A scan that is cut short is refused and never repeated. */
export function createStorageClient(address: StorageAddress, timeouts: Timeouts) {
  const writer = createChannel(address.writer, { onStuck: () => {}, isHeldUp: () => false })
  const { enter, dispatch, replace, ports } = createReaderQueue(address, timeouts)
  const numbers = new WeakMap<Batch, number>()
  const knownTo = new WeakMap<Channel, WeakSet<Batch>>()
  const { carryOut } = createPlanSender(writer)
  let lastSession = 0
  let lastBatch = 0

  address.control.on('message', replaced)
  address.control.unref()

  return { session, write, begin, finish, carryOut, read, ask, close }

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
      const known = knownTo.get(channel) ?? new WeakSet()
      knownTo.set(channel, known)
      const isKnown = known.has(batch)
      known.add(batch)
      return isKnown
    }
  }

  function numberOf(batch: Batch): number {
    const known = numbers.get(batch)
    if (known !== undefined) return known
    numbers.set(batch, ++lastBatch)
    return lastBatch
  }

  function replaced({ role, index, port }: ReplacedThread) {
    if (role === 'reader') return replace(index, port)
    writer.replace(port)
    dispatch()
  }

  function close() {
    for (const port of [address.control, writer.port(), ...ports()]) port.close()
  }
}

export type StorageClient = ReturnType<typeof createStorageClient>
