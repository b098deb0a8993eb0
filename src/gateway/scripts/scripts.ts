import type { Log } from '#kernel-thread'
import { createApart } from './apart.ts'
import type { HostCall, ScriptFailure, ScriptSource } from './engine.ts'
import { createSandboxes, type Script } from './sandboxes.ts'

export interface Scripts {
  /** Only after `open`. */
  findFailure(source: ScriptSource): ScriptFailure | null
  /** In this thread, at once. */
  run(script: Script, scope: string, host: HostCall, limitMs: number): string
  /** Starts the worker, so that the first call finds it. */
  startApart(): void
  /** In a worker, which can be ended: for limits that this thread must not be stopped for. */
  runApart(script: Script, scope: string, host: HostCall, limitMs: number): Promise<string>
}

/** Everything that runs scripts in one thread. */
export function createScripts({ log }: { readonly log: Log }) {
  const sandboxes = createSandboxes()
  const apart = createApart({ log })
  const { open, isOpen, run, findFailure } = sandboxes
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
