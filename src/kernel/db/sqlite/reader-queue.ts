import type { MessagePort } from 'node:worker_threads'
import { type Channel, createChannel } from './channel.ts'
import { StorageError } from './errors.ts'
import type { StorageAddress } from './protocol.ts'
import { createScanSlot } from './scan-slot.ts'

/**
 * More than one in flight keeps a reader busy while answers travel, and some more spare both sides the
 * waking: four instead of two are a tenth more reads. Each further one may wait behind a slow one.
 */
export const IN_FLIGHT_PER_READER = 4
/** Behind so many scans that use all of their time another one waits. */
const SCANS_WAITED_FOR = 2

interface Waiting {
  readonly kind: 'read' | 'scan'
  /** `ended` is called when the channel has answered, however. */
  run(channel: Channel, ended: () => void): void
  refuse(error: Error): void
}

/**
 * Who reads next, and where. Reads go to whichever reader is free; scans only to the last one, so that a
 * reader is always left for short queries. One thread of the process scans at a time, and meanwhile none
 * sends short queries there.
 */
export function createReaderQueue(
  { readers: ports, control, scans }: Pick<StorageAddress, 'readers' | 'control' | 'scans'>,
  { scanMs }: { readonly scanMs: number },
) {
  const slot = createScanSlot(scans)
  const readers = ports.map((port, index) =>
    createChannel(port, {
      onStuck: () => reportStuck(index),
      isHeldUp: () => index === ports.length - 1 && slot.isTakenByOther(),
    }),
  )
  const queues: Record<'read' | 'scan', Waiting[]> = { read: [], scan: [] }
  const scanner = readers.at(-1)
  let isAwaitingSlot = false
  return { enter, dispatch, replace, ports: () => readers.map(({ port }) => port()) }

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
    setTimeout(late, scanMs * SCANS_WAITED_FOR).unref()
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
    control.postMessage({ stuck: index })
  }

  function replace(index: number, port: MessagePort) {
    readers[index]?.replace(port)
    dispatch()
  }
}
