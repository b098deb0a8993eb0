import type { Clock, Log } from '#kernel'

interface Deps {
  /** Writes them down, or hands them to whoever can; at most 500 at once. */
  write(ids: readonly number[], atMs: number): Promise<void>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** Something whose use is noted; `notedAtMs` belongs to whoever notes it. */
export interface Used {
  readonly id: number
  notedAtMs: number
}

/** Both together stay under the minute that `last_used_at` is exact to. */
const NOTE_EVERY_MS = 30_000
const WRITE_EVERY_MS = 2_000
const ROWS_PER_WRITE = 500

/** Writes down when keys were last used, in batches and never in the way of a request. */
export function createLastUsed({ write, clock, log }: Deps) {
  const waiting = new Set<number>()
  let writing: Promise<void> = Promise.resolve()
  let failing = false
  let timer: NodeJS.Timeout | undefined
  return { note, noteAll, close }

  function note(used: Used, nowMs: number): void {
    if (nowMs - used.notedAtMs < NOTE_EVERY_MS && nowMs >= used.notedAtMs) return
    used.notedAtMs = nowMs
    noteAll([used.id])
  }

  /** What another thread has noted. */
  function noteAll(ids: readonly number[]): void {
    for (const id of ids) waiting.add(id)
    timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size > 0) writing = writing.then(writeAll)
    return writing
  }

  async function writeAll() {
    const ids = [...waiting]
    waiting.clear()
    const atMs = clock.now()
    try {
      for (let at = 0; at < ids.length; at += ROWS_PER_WRITE) {
        await write(ids.slice(at, at + ROWS_PER_WRITE), atMs)
      }
      failing = false
    } catch (error) {
      // Bounded by the number of keys, and late is better than never.
      noteAll(ids)
      if (!failing) log.warn({ err: error }, 'the last use of keys cannot be written')
      failing = true
    }
  }

  async function close() {
    await flush()
    clearTimeout(timer)
  }
}

export type LastUsed = ReturnType<typeof createLastUsed>
