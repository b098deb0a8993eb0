import type { Log } from '../log.ts'

export type RevisionHandler = (revision: number) => void | Promise<void>

interface Deps {
  readonly log: Log
  readonly retryMs: number
}

interface Watcher {
  readonly topic: string
  readonly handler: RevisionHandler
  /** The newest revision its handler finished with. */
  done: number
  running: boolean
  failing: boolean
  retry: NodeJS.Timeout | undefined
}

/** What one thread knows of revisions, and who is to be told. */
export function createLedger({ log, retryMs }: Deps) {
  const known = new Map<string, number>()
  const watchers = new Set<Watcher>()
  return { learn, watch, current, finished, all, close }

  function current(topic: string): number {
    return known.get(topic) ?? 0
  }

  function finished(topic: string): number {
    const own = [...watchers].filter((watcher) => watcher.topic === topic)
    return Math.min(current(topic), ...own.map(({ done }) => done))
  }

  function all(): [topic: string, revision: number][] {
    return [...known]
  }

  function learn(topic: string, revision: number) {
    if (revision <= current(topic)) return
    known.set(topic, revision)
    for (const watcher of watchers) {
      if (watcher.topic === topic) void catchUp(watcher)
    }
  }

  function watch(topic: string, handler: RevisionHandler, since = 0) {
    const watcher: Watcher = {
      topic,
      handler,
      done: since,
      running: false,
      failing: false,
      retry: undefined,
    }
    watchers.add(watcher)
    void catchUp(watcher)
    return () => end(watcher)
  }

  async function catchUp(watcher: Watcher) {
    if (watcher.running || !watchers.has(watcher)) return
    watcher.running = true
    try {
      while (watchers.has(watcher) && current(watcher.topic) > watcher.done) {
        const revision = current(watcher.topic)
        await watcher.handler(revision)
        watcher.done = revision
      }
      recovered(watcher)
    } catch (error) {
      failed(watcher, error)
    }
    watcher.running = false
  }

  /** Logged once for a row of failures: a broken handler is called twice a second. */
  function failed(watcher: Watcher, error: unknown) {
    const { topic } = watcher
    if (!watcher.failing) {
      log.error({ err: error, topic }, 'a change could not be applied; it is tried again')
    }
    watcher.failing = true
    clearTimeout(watcher.retry)
    if (!watchers.has(watcher)) return
    watcher.retry = setTimeout(() => void catchUp(watcher), retryMs).unref()
  }

  function recovered(watcher: Watcher) {
    if (watcher.failing) log.info({ topic: watcher.topic }, 'the change was applied')
    watcher.failing = false
  }

  function close() {
    for (const watcher of watchers) end(watcher)
  }

  function end(watcher: Watcher) {
    clearTimeout(watcher.retry)
    watchers.delete(watcher)
  }
}

export type Ledger = ReturnType<typeof createLedger>
