import {
  close as closeFile,
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { type JournalAddress, openTally } from './address.ts'
import { encodeFrame, FRAME_BUFFER_BYTES, maxFrameBytes } from './frame.ts'
import { requireNamePart, segmentName } from './segment-name.ts'
import { syncDirectory } from './sync-directory.ts'

interface Deps {
  readonly address: JournalAddress
  /** Names the writing thread: `api`, `gateway0`. */
  readonly name: string
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

interface Segment {
  readonly fd: number
  readonly openedAtMs: number
  bytes: number
  /** Asking the clock at every append would cost as much as the append. */
  isOld: boolean
  /** Its entry in the directory is not synced yet. */
  isNew: boolean
}

/** Called once the record survives the death of the process; false: it could not be written. */
type Written = (isWritten: boolean) => void

interface Waiting {
  readonly record: object
  readonly written: Written
}

/** Power loss costs at most what was appended in this time. */
const SYNC_EVERY_MS = 1_000
/** The last part of the space is for answers to requests that were let in while there was room. */
const ROOM_SHARE = 15 / 16
/** Whether a journal that could not be written can be again is tried so often, with as much as an append may need. */
const TRY_EVERY_MS = 500
const TRIED = Buffer.alloc(64 * 1024)
/** A turn can be long; with more than these one write is not worth the wait any more. */
const MAX_WAITING = 64

/**
 * Appends records of one thread. When `append` has returned true the record survives the death of
 * the process, and after a second also that of the machine.
 */
export function createJournalWriter({ address, name, clock, log }: Deps) {
  requireNamePart(name)
  const tally = openTally(address.shared)
  const thread = `${name}.${tally.newWriter()}`
  const buffer = Buffer.allocUnsafeSlow(FRAME_BUFFER_BYTES)
  let waiting: Waiting[] = []
  let segment: Segment | null = null
  let lastNumber = 0
  let syncTimer: NodeJS.Timeout | null = null
  let dirty = false
  let closed = false
  /** When it was tried last, of `performance.now()`; null while it can be written. */
  let failedAtMs: number | null = null

  return { append, appendSoon, hasRoom, close }

  /** False when the record could not be written: the caller must not send its answer. */
  function append(record: object): boolean {
    if (closed) throw new Error('the journal writer is closed')
    return write(encodeFrame(buffer, JSON.stringify(record)), 1)
  }

  /**
   * Appends together with all others of this turn of the event loop, by one write: under load that
   * is what an append costs most. The answer waits until `written` is called.
   */
  function appendSoon(record: object, written: Written): void {
    if (closed) throw new Error('the journal writer is closed')
    const count = waiting.push({ record, written })
    if (count === 1) setImmediate(flush)
    else if (count === MAX_WAITING) flush()
  }

  function flush(): void {
    const settled = waiting
    waiting = []
    for (let from = 0; from < settled.length; ) from = writeSome(settled, from)
  }

  /** As many as the buffer holds; returns the place of the first that is left. */
  function writeSome(records: readonly Waiting[], from: number): number {
    let length = 0
    let to = from
    for (; to < records.length; to++) {
      const text = JSON.stringify(records[to]?.record)
      if (to > from && length + maxFrameBytes(text) > buffer.length) break
      length += encodeFrame(buffer, text, length)
    }
    const isWritten = write(length, to - from)
    for (const { written } of records.slice(from, to)) tell(written, isWritten)
    return to
  }

  /** One answer that cannot be sent keeps none of the others. */
  function tell(written: Written, isWritten: boolean) {
    try {
      written(isWritten)
    } catch (error) {
      log.error({ err: error }, 'an answer was recorded but could not be sent')
    }
  }

  /** The first bytes of the buffer, which hold `count` records. */
  function write(length: number, count: number): boolean {
    if (!tally.reserve(length, count, address.maxTotalBytes)) return false
    try {
      writeToSegment(length)
    } catch (error) {
      tally.release(length)
      failedAtMs = performance.now()
      log.error({ err: error, directory: address.directory }, 'the journal cannot be written')
      return false
    }
    dirty = true
    syncTimer ??= setTimeout(sync, SYNC_EVERY_MS).unref()
    return true
  }

  /** Asked before a request is let in, so that its answer will find room for its record. */
  function hasRoom(): boolean {
    return tally.waitingBytes() < address.maxTotalBytes * ROOM_SHARE && isWritable()
  }

  /** Not so on a full disk: the answers of all who are let in would be cut off. */
  function isWritable(): boolean {
    if (failedAtMs === null) return true
    if (performance.now() - failedAtMs < TRY_EVERY_MS) return false
    failedAtMs = canWrite(join(address.directory, `${thread}.tried`)) ? null : performance.now()
    return failedAtMs === null
  }

  function writeToSegment(length: number) {
    const current = segmentFor(length)
    try {
      const written = writeSync(current.fd, buffer, 0, length)
      if (written !== length) throw new Error(`only ${written} of ${length} bytes were written`)
      current.bytes += length
    } catch (error) {
      // Nothing may follow a broken frame, so this segment ends with the last whole one.
      segment = null
      removeTornTail(current)
      leave(current)
      throw error
    }
  }

  function segmentFor(length: number): Segment {
    const current = segment
    if (current) {
      if (!current.isOld && current.bytes + length <= address.maxSegmentBytes) return current
      segment = null
      leave(current)
    }
    const path = join(
      address.directory,
      `${segmentName(address.boot, thread, lastNumber + 1)}.journal`,
    )
    const fd = openSync(path, 'ax', 0o600)
    lastNumber++
    segment = { fd, openedAtMs: clock.now(), bytes: 0, isOld: false, isNew: true }
    return segment
  }

  function sync() {
    syncTimer = null
    const current = segment
    if (!current || !dirty) return
    dirty = false
    fdatasync(current.fd, (error) => {
      if (error) reportSync(error)
    })
    if (current.isNew) syncDirectory(address.directory).catch(reportSync)
    current.isNew = false
    current.isOld = clock.now() - current.openedAtMs >= address.maxSegmentAgeMs
  }

  /** Nothing is appended to it any more. */
  function leave({ fd, isNew }: Segment) {
    fdatasync(fd, (error) => {
      if (error) reportSync(error)
      closeFile(fd, () => {})
    })
    if (isNew) syncDirectory(address.directory).catch(reportSync)
  }

  function reportSync(error: unknown) {
    log.error({ err: error, directory: address.directory }, 'the journal cannot be synced')
  }

  /** Everything appended is on the disk afterwards. */
  function close() {
    if (closed) return
    flush()
    closed = true
    if (syncTimer) clearTimeout(syncTimer)
    if (!segment) return
    fdatasyncSync(segment.fd)
    closeSync(segment.fd)
    segment = null
  }
}

export type JournalWriter = ReturnType<typeof createJournalWriter>

function canWrite(path: string): boolean {
  try {
    writeFileSync(path, TRIED, { mode: 0o600 })
    return true
  } catch {
    return false
  } finally {
    rmSync(path, { force: true })
  }
}

function removeTornTail({ fd, bytes }: Segment) {
  try {
    ftruncateSync(fd, bytes)
  } catch {
    // A reader recognises the torn tail by its checksum.
  }
}
