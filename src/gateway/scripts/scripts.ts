import { performance } from 'node:perf_hooks'
import type { Log } from '#kernel-thread'
import { createApart } from './apart.ts'
import type { ScriptFailure, ScriptSource } from './engine.ts'
import { createSandboxes } from './sandboxes.ts'
import { createTurns, type ScriptCall } from './turns.ts'

export interface Scripts {
  /** Only after `open`. */
  findFailure(source: ScriptSource): ScriptFailure | null
  /** At once where it ends soon and nobody else waits, else later or in a worker. */
  run(call: ScriptCall): string | Promise<string>
  /** Starts the worker, so that the first call finds it. */
  startApart(): void
  /** In a worker in any case. */
  runApart(call: ScriptCall): Promise<string>
}

/** Everything that runs scripts in one thread. */
export function createScripts({ log }: { readonly log: Log }) {
  const sandboxes = createSandboxes()
  const apart = createApart({ log })
  const { open, isOpen, findFailure } = sandboxes
  const { run } = createTurns({
    sandboxes,
    runApart: apart.run,
    now: () => performance.now(),
    soon: (work) => void setImmediate(work),
  })
  return {
    open,
    isOpen,
    run,
    findFailure,
    startApart: apart.start,
    runApart: apart.run,
    close: apart.close,
  }
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
