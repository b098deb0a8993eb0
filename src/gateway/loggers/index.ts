/** Where the entries of `http-logger` and `file-logger` go: shared by all settings that say the same. */
import type { Log } from '#kernel'
import { type Batches, createBatches } from './batches.ts'
import { createLogFile, type LogDirectories } from './log-file.ts'
import { createPost, type Target } from './post.ts'

interface Deps {
  readonly log: Log
  readonly directories: LogDirectories
  count(metric: string, labels: Readonly<Record<string, string>>, by: number): void
}

interface Sink extends Batches {
  close(): unknown
  drop(entries: number, error: unknown): void
}

export interface Loggers {
  /** A place that takes entries; asked for with every entry, so an idle one can be closed. */
  toHttp(target: Target, maxEntries: number): Pick<Batches, 'add'>
  toFile(path: string): Pick<Batches, 'add'>
}

const WAIT_MS = 500
const FILE_BATCH = 1_000
const IDLE_CHECK_MS = 60_000
/** Losses are told of together: a full queue loses an entry with every request. */
const TELL_MS = 1_000

export function createLoggers({ log, directories, count }: Deps) {
  const sinks = new Map<string, Sink>()
  const used = new Set<string>()
  const sweeping = setInterval(sweep, IDLE_CHECK_MS).unref()
  return { toHttp, toFile, close }

  function toHttp(target: Target, maxEntries: number): Batches {
    const { uri, authorization = '', timeoutMs, verifiesTls } = target
    const key = JSON.stringify([
      'http-logger',
      uri,
      authorization,
      timeoutMs,
      verifiesTls,
      maxEntries,
    ])
    return find(key, 'http-logger', maxEntries, () => createPost(target))
  }

  function toFile(path: string): Batches {
    return find(`file-logger ${path}`, 'file-logger', FILE_BATCH, () =>
      createLogFile(path, directories),
    )
  }

  function find(
    key: string,
    plugin: string,
    maxEntries: number,
    create: () => { send(entries: readonly string[]): Promise<void>; close(): unknown },
  ): Batches {
    used.add(key)
    const known = sinks.get(key)
    if (known) return known
    const { send, close } = create()
    const batches = createBatches({ send, maxEntries, waitMs: WAIT_MS, drop })
    const sink = { ...batches, close, drop }
    let lost = 0
    let isTold = true
    sinks.set(key, sink)
    return sink

    function drop(entries: number, error: unknown) {
      count('log_entries_dropped_total', { plugin }, entries)
      lost += entries
      if (!isTold) return
      isTold = false
      tell(error)
      setTimeout(() => {
        isTold = true
        if (lost > 0) tell(error)
      }, TELL_MS).unref()
    }

    function tell(error: unknown) {
      log.warn({ err: error, plugin, entries: lost }, 'entries of a log were dropped')
      lost = 0
    }
  }

  /** A place that nobody has used for a while is closed; the next entry opens it again. */
  function sweep(): void {
    for (const [key, sink] of sinks) {
      if (used.has(key) || sink.left() > 0) continue
      sinks.delete(key)
      void sink.close()
    }
    used.clear()
  }

  /** Gives away what waits, as long as that is possible in time. */
  async function close(withinMs: number): Promise<void> {
    clearInterval(sweeping)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    await Promise.race([Promise.all([...sinks.values()].map(({ drain }) => drain())), late])
    clearTimeout(timer)
    for (const sink of sinks.values()) {
      const left = sink.left()
      if (left > 0) sink.drop(left, new Error('the server stops'))
      await sink.close()
    }
  }
}
