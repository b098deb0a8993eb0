import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../db/database.ts'
import type { JournalTally } from './address.ts'
import type { Journal } from './open.ts'
import { findPositions, removePositions } from './positions.ts'
import type { SegmentName } from './segment-name.ts'
import { openSegment, type Portion, type SegmentReader } from './segment-reader.ts'
import { syncDirectory } from './sync-directory.ts'

interface Deps {
  readonly journal: Journal
  readonly store: Store
  readonly tally: JournalTally
}

interface Reading {
  readonly segment: string
  readonly name: SegmentName
  readonly reader: SegmentReader
  position: number
  /** Its writer is done with it. */
  isComplete: boolean
  isFinished: boolean
}

export interface Taken {
  readonly reading: Reading
  readonly portion: Portion
}

/** The segments of this process and of dead ones: what is still to be drained, and what is done. */
export function createBacklog({ journal, store, tally }: Deps) {
  const { directory, boot } = journal.address
  const open = new Map<string, Reading>()
  let done: SegmentName[] = []
  let arePositionsKnown = true

  return { refresh, take, moved, removeFinished, mark, hasReached, doubtPositions, close }

  /** Finds new segments. `allComplete`: no writer of this process is left. */
  async function refresh({ allComplete }: { allComplete: boolean }) {
    const names = journal.segments()
    const fresh = names.filter((name) => name.state === 'journal' && !open.has(name.segment))
    const known = arePositionsKnown ? [] : [...open.keys()]
    const foreign = fresh.filter((name) => name.boot !== boot).map((name) => name.segment)
    const positions = await findPositions(store, [...known, ...foreign])
    arePositionsKnown = true
    for (const segment of known) correct(segment, positions.get(segment) ?? 0)
    for (const name of fresh) add(name, positions.get(name.segment) ?? 0)
    markComplete(names, allComplete)
    done = names.filter((name) => name.state === 'done')
  }

  function correct(segment: string, position: number) {
    const reading = open.get(segment)
    if (!reading) return
    tally.release(position - reading.position)
    reading.position = position
  }

  function add(name: SegmentName, position: number) {
    const { segment } = name
    const reader = openSegment(pathOf(name, 'journal'), segment)
    // What this process appended is counted already, by the thread that did.
    if (name.boot !== boot) tally.release(Math.min(0, position - reader.sizeBytes()))
    open.set(segment, { segment, name, reader, position, isComplete: false, isFinished: false })
  }

  /** A thread begins its next segment only when it is done with the one before. */
  function markComplete(names: readonly SegmentName[], allComplete: boolean) {
    const last = new Map(names.map((name) => [`${name.boot}-${name.thread}`, name.number]))
    for (const reading of open.values()) {
      const { name } = reading
      const isLast = last.get(`${name.boot}-${name.thread}`) === name.number
      reading.isComplete ||= allComplete || name.boot !== boot || !isLast
    }
  }

  /** The next records, at most `limit`, from as many segments as it takes. */
  async function take(limit: number): Promise<Taken[]> {
    const taken: Taken[] = []
    let left = limit
    for (const reading of [...open.values()]) {
      if (left === 0) break
      const portion = await reading.reader.read(reading.position, left, reading.isComplete)
      left -= portion.records.length
      if (portion.end > reading.position) taken.push({ reading, portion })
      else reading.isFinished = portion.isFinished
      // To the end of the queue, so that a busy thread cannot keep the others waiting.
      open.delete(reading.segment)
      open.set(reading.segment, reading)
    }
    return taken
  }

  /** What was taken is committed. */
  function moved(taken: readonly Taken[]) {
    for (const { reading, portion } of taken) {
      tally.release(portion.end - reading.position)
      reading.position = portion.end
      reading.isFinished = portion.isFinished
    }
  }

  /**
   * The rename says for good that a segment is in the database: only after it the position may go,
   * else a kill in between would have the segment drained again.
   */
  async function removeFinished() {
    for (const { segment, name, reader, isFinished } of [...open.values()]) {
      if (!isFinished) continue
      renameSync(pathOf(name, 'journal'), pathOf(name, 'done'))
      reader.close()
      open.delete(segment)
      done.push(name)
    }
    if (done.length === 0) return
    await syncDirectory(directory)
    await removePositions(
      store,
      done.map((name) => name.segment),
    )
    for (const name of done) rmSync(pathOf(name, 'done'), { force: true })
    done = []
    journal.forgetEmpty()
  }

  /** How far the open segments are written at this moment. */
  function mark(): Map<string, number> {
    return new Map(open.values().map(({ segment, reader }) => [segment, reader.sizeBytes()]))
  }

  function hasReached(marked: ReadonlyMap<string, number>): boolean {
    return open.values().every(({ segment, position }) => position >= (marked.get(segment) ?? 0))
  }

  /** After a failure: a commit may have happened although its answer did not come. */
  function doubtPositions() {
    arePositionsKnown = false
  }

  function close() {
    for (const { reader } of open.values()) reader.close()
    open.clear()
  }

  function pathOf({ segment }: SegmentName, state: SegmentName['state']): string {
    return join(directory, `${segment}.${state}`)
  }
}
