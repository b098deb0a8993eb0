import { performance } from 'node:perf_hooks'
import type { Log } from '#kernel'
import type { ScriptFailure, ScriptSource } from './engine.ts'
import { createSandboxes } from './sandboxes.ts'
import { createTurns, type NoteTime, type ScriptCall } from './turns.ts'
import { createWorkerPool } from './worker-pool.ts'

export interface Scripts {
  /** Only after `open`. */
  findFailure(source: ScriptSource): ScriptFailure | null
  /** At once where it ends soon and nobody else waits, else later or in a worker. */
  run(call: ScriptCall): string | Promise<string>
  /** Starts the worker, so that the first call finds it. */
  startWorker(): void
  /** In a worker in any case. */
  runInWorker(call: ScriptCall): Promise<string>
}

interface Deps {
  readonly log: Log
  readonly noteTime: NoteTime
}

/** Everything that runs scripts in one thread. */
export function createScripts({ log, noteTime }: Deps) {
  const sandboxes = createSandboxes()
  const pool = createWorkerPool({ log })
  const { open, isOpen, findFailure } = sandboxes
  const { run } = createTurns({
    sandboxes,
    runInWorker: pool.run,
    now: () => performance.now(),
    usedMs,
    noteTime,
    soon: (work) => void setImmediate(work),
  })
  return {
    open,
    isOpen,
    run,
    findFailure,
    startWorker: pool.start,
    runInWorker: pool.run,
    close: pool.close,
  }
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Whether anything in a configuration is a script, so that the engine has to be open. */
export function mentionsScripts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) => isScriptPlugin(name) || mentionsScripts(inner),
  )
}

export function isScriptPlugin(name: string): boolean {
  return name.startsWith('serverless-')
}
