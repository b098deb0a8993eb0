import { type Failures, type Log, supervise, type Thread } from '#kernel'
import type { ConfigChange, FromThread, ThreadData, ToThread } from './protocol.ts'
import { applyDelta, emptySnapshot, type Snapshot } from './snapshot.ts'

interface Deps {
  readonly threads: number
  readonly data: Omit<ThreadData, 'name'>
  readonly failures: Failures
  readonly log: Log
  /** A thread has ended for good: what it held in shared memory must be freed. */
  onThreadEnd?(threadId: number): void
}

interface Waiting {
  readonly revision: number
  readonly missing: Set<string>
  readonly timer: NodeJS.Timeout
  resolve(): void
}

const SILENT_AFTER_MS = 2_000

/**
 * The control plane of the gateway: holds the current configuration and brings it to every gateway
 * thread. `publish` answers when all threads use the change; a thread that stays silent is replaced,
 * so after the answer no request meets the old configuration.
 */
export function createControl({ threads, data, failures, log, onThreadEnd }: Deps) {
  let snapshot: Snapshot = emptySnapshot
  const waiting = new Set<Waiting>()
  const crew = Array.from({ length: threads }, (_, index) => {
    const name = `gateway-${index + 1}`
    return {
      name,
      supervised: supervise(
        {
          name,
          entry: new URL(import.meta.resolve('#gateway-thread')),
          data: () => ({ workerData: { ...data, name }, transfer: [] }),
          onMessage: receive,
          ...(onThreadEnd ? { onEnd: onThreadEnd } : {}),
        },
        { failures, log },
      ),
    }
  })

  return { start, stop, publish, status }

  async function start(): Promise<void> {
    await Promise.all(crew.map(({ supervised }) => supervised.start()))
  }

  async function stop(withinMs: number): Promise<void> {
    await Promise.all(crew.map(({ supervised }) => supervised.stop(withinMs)))
  }

  function status() {
    return {
      revision: snapshot.revision,
      threads: crew.length,
      listening: crew.filter(({ supervised }) => supervised.isReady).length,
      restarts: crew.reduce((sum, { supervised }) => sum + supervised.restarts, 0),
    }
  }

  /** Resolves with the new revision once every thread of this process uses it. */
  function publish(changes: readonly ConfigChange[]): Promise<number> {
    const from = snapshot.revision
    const to = from + 1
    snapshot = applyDelta(snapshot, to, changes)
    const message: ToThread = { type: 'delta', from, to, changes }
    for (const { supervised } of crew) supervised.thread()?.post(message)
    return acknowledged(to)
  }

  function acknowledged(revision: number): Promise<number> {
    return new Promise((resolve) => {
      const entry: Waiting = {
        revision,
        missing: new Set(crew.map(({ name }) => name)),
        timer: setTimeout(() => replaceSilent(entry), SILENT_AFTER_MS),
        resolve: () => {
          clearTimeout(entry.timer)
          waiting.delete(entry)
          resolve(revision)
        },
      }
      waiting.add(entry)
      if (entry.missing.size === 0) entry.resolve()
    })
  }

  function receive(message: FromThread, thread: Thread) {
    if (message.type === 'gap') {
      thread.post(full())
      return
    }
    for (const entry of waiting) {
      if (message.revision < entry.revision) continue
      entry.missing.delete(thread.name)
      if (entry.missing.size === 0) entry.resolve()
    }
  }

  function full(): ToThread {
    return { type: 'full', revision: snapshot.revision, objects: [...snapshot.objects.values()] }
  }

  function replaceSilent(entry: Waiting) {
    for (const { name, supervised } of crew) {
      if (!entry.missing.has(name)) continue
      // Its successor asks for the configuration, acknowledges it, and so completes the entry.
      void supervised.replace('did not acknowledge a configuration change')
    }
  }
}

export type GatewayControl = ReturnType<typeof createControl>
