import { once } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Log } from '../../log.ts'
import { newNumbers } from './numbers.ts'
import type {
  FileName,
  ReplacedThread,
  StorageAddress,
  StuckReader,
  ThreadControl,
  ThreadNotice,
  ThreadSetup,
} from './protocol.ts'
import { createScanSlot } from './scan-slot.ts'

interface HubDeps {
  readonly files: Record<FileName, string>
  readonly readers: number
  readonly log: Log
  /** A storage thread died by itself; the server decides whether to go on. */
  onFailure(name: string, error: Error): void
}

/** Shorter ones happen on a busy machine and at a first start; they are only noted. */
const ALARMING_MS = 1_000
/** What Node gives as the id of a thread that is no more. */
const ENDED = -1

interface Slot {
  readonly role: 'writer' | 'reader'
  readonly index: number
  worker: Worker
}

/** Owns the storage threads of a process and hands every other thread a way to them. */
export async function startStorage({ files, readers, log, onFailure }: HubDeps) {
  const schemaEpoch = new SharedArrayBuffer(4)
  const scans = new SharedArrayBuffer(4)
  let clients = 0
  const numbers = newNumbers()
  const controls = new Set<MessagePort>()
  const replacing = new Map<Slot, Promise<void>>()
  let stopping = false

  // The writer creates the files, so it comes first.
  const writer = await launch('writer', 0)
  const readerSlots = await Promise.all(
    Array.from({ length: readers }, (_, index) => launch('reader', index)),
  )

  return { connect, stop }

  function connect(): StorageAddress {
    const control = new MessageChannel()
    controls.add(control.port1)
    control.port1.on('message', ({ stuck }: StuckReader) => replaceStuck(stuck))
    const slot = { memory: scans, own: ++clients }
    control.port1.on('close', () => {
      controls.delete(control.port1)
      createScanSlot(slot).release()
    })
    control.port1.unref()
    return {
      control: control.port2,
      writer: portTo(writer),
      readers: readerSlots.map((reader) => portTo(reader)),
      ...{ scans: slot, numbers },
    }
  }

  function portTo(slot: Slot): MessagePort {
    const { port1, port2 } = new MessageChannel()
    const message: ThreadControl = { op: 'connect', port: port1 }
    slot.worker.postMessage(message, [port1])
    return port2
  }

  async function launch(role: 'writer' | 'reader', index: number): Promise<Slot> {
    const slot: Slot = { role, index, worker: startWorker(role, index) }
    await ready(slot.worker)
    watch(slot, slot.worker)
    return slot
  }

  function startWorker(role: 'writer' | 'reader', index: number): Worker {
    const setup: ThreadSetup = { role, files, schemaEpoch, numbers }
    return new Worker(new URL(import.meta.resolve('#sqlite-thread')), {
      workerData: setup,
      name: `storage-${role}-${index}`,
    })
  }

  function watch(slot: Slot, worker: Worker) {
    worker.on('message', (notice: ThreadNotice) => {
      if (notice.type !== 'long_transaction') return
      const level = notice.durationMs > ALARMING_MS ? 'warn' : 'info'
      log[level](notice, 'long write transaction: all other writers of the file waited')
    })
    const failed = (error: Error) => {
      if (stopping || slot.worker !== worker) return
      onFailure(`storage-${slot.role}-${slot.index}`, error)
      replace(slot)
    }
    worker.on('error', failed)
    worker.on('exit', (code) => failed(new Error(`ended with code ${code}`)))
  }

  /** A query cannot be interrupted; the thread is left to finish it alone and then ends. */
  function replaceStuck(index: number) {
    const slot = readerSlots[index]
    if (!slot || stopping || replacing.has(slot)) return
    log.warn({ reader: index }, 'a query ran past its deadline; its storage thread is replaced')
    replace(slot)
  }

  function replace(slot: Slot) {
    const old = slot.worker
    slot.worker = startWorker(slot.role, slot.index)
    void old.terminate()
    const done = introduce(slot, slot.worker).finally(() => replacing.delete(slot))
    replacing.set(slot, done)
  }

  async function introduce(slot: Slot, fresh: Worker) {
    try {
      await ready(fresh)
    } catch (error) {
      if (!stopping) onFailure(`storage-${slot.role}-${slot.index}`, error as Error)
      return
    }
    watch(slot, fresh)
    for (const control of controls) {
      const port = portTo(slot)
      const message: ReplacedThread = { role: slot.role, index: slot.index, port }
      control.postMessage(message, [port])
    }
  }

  async function stop() {
    stopping = true
    await Promise.all(replacing.values())
    await Promise.all(readerSlots.map(end))
    // Last: whoever closes a file last puts its log of writes into it, which a reader may not.
    await end(writer)
  }

  async function end({ worker }: Slot) {
    // One that has ended would be waited for, for ever.
    if (worker.threadId === ENDED) return
    const message: ThreadControl = { op: 'stop' }
    const ended = once(worker, 'exit')
    worker.postMessage(message)
    await ended
  }
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => {
      worker.off('error', reject)
      resolve()
    })
    worker.once('error', reject)
  })
}
