import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Random } from '../random.ts'
import { type JournalAddress, openTally, SHARED_BYTES } from './address.ts'
import { type BootLock, createBootLock, takeBootLock } from './boot-lock.ts'
import { parseSegmentFile, type SegmentName } from './segment-name.ts'

interface Deps {
  readonly directory: string
  readonly clock: Clock
  readonly random: Random
  readonly maxTotalBytes: number
  readonly maxSegmentBytes?: number
  readonly maxSegmentAgeMs?: number
}

const MIB = 1024 * 1024
const SEGMENT_BYTES = 16 * MIB
const SEGMENT_AGE_MS = 5 * 60_000

/**
 * The journal of one process. Several processes may share the directory: each owns the segments of
 * its own boot, and adopts those of boots whose process is dead.
 */
export function openJournal(deps: Deps) {
  const { directory } = deps
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const boot = bootId(deps)
  // Before the first segment exists, else another process could adopt it half-written.
  const owned = new Map<string, BootLock>([[boot, createBootLock(lockPath(boot))]])

  const address: JournalAddress = {
    directory,
    boot,
    shared: new SharedArrayBuffer(SHARED_BYTES),
    maxTotalBytes: deps.maxTotalBytes,
    maxSegmentBytes: deps.maxSegmentBytes ?? SEGMENT_BYTES,
    maxSegmentAgeMs: deps.maxSegmentAgeMs ?? SEGMENT_AGE_MS,
  }
  const { waitingBytes } = openTally(address.shared)
  return { address, waitingBytes, adoptDead, segments, forgetEmpty, close }

  /** Takes over what dead processes left behind; a boot is adopted by one process only. */
  function adoptDead() {
    for (const file of readdirSync(directory)) {
      const found = BOOT_FILE.exec(file)?.groups?.boot
      if (found === undefined || owned.has(found)) continue
      const lock = takeBootLock(lockPath(found))
      if (lock) owned.set(found, lock)
    }
  }

  /** The segments this process may drain, those of a thread in the order they were written. */
  function segments(): SegmentName[] {
    return readdirSync(directory)
      .map((file) => parseSegmentFile(file))
      .filter((name) => name !== undefined)
      .filter((name) => owned.has(name.boot))
      .sort((a, b) => compare(a.boot, b.boot) || compare(a.thread, b.thread) || a.number - b.number)
  }

  /** Ends the ownership of dead boots that left no segment. */
  function forgetEmpty() {
    if (owned.size === 1) return
    const left = bootsWithSegments()
    for (const [id, lock] of owned) {
      if (id === boot || left.has(id)) continue
      lock.release({ remove: true })
      owned.delete(id)
    }
  }

  /** What is not drained by now is adopted by the next start. */
  function close() {
    const left = bootsToKeep()
    for (const [id, lock] of owned) lock.release({ remove: !left.has(id) })
    owned.clear()
  }

  /** Of a directory that was moved away nobody knows what it holds; the process ends all the same. */
  function bootsToKeep(): ReadonlySet<string> {
    try {
      return bootsWithSegments()
    } catch {
      return new Set(owned.keys())
    }
  }

  function bootsWithSegments(): Set<string> {
    return new Set(segments().map((name) => name.boot))
  }

  function lockPath(id: string): string {
    return join(directory, `${id}.lock`)
  }
}

export type Journal = ReturnType<typeof openJournal>

const BOOT_FILE = /^(?<boot>[a-z0-9]+)(\.lock|-.+\.(journal|done))$/

/** Begins with the time, so that the directory lists in the order of the starts. */
function bootId({ clock, random }: Pick<Deps, 'clock' | 'random'>): string {
  const time = Math.max(0, clock.now()).toString(36).padStart(9, '0')
  return `${time}${random.bytes(5).toString('hex')}`
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
