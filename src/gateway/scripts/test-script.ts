import type { Context } from '../plane/context.ts'
import type { ExplainRequest, ScriptTest, ScriptTestOutcome } from '../protocol.ts'
import { ScriptFailure } from './engine.ts'
import { createHost } from './host.ts'
import { parseOutcome } from './outcome.ts'
import { createScript } from './sandboxes.ts'
import type { Scripts } from './scripts.ts'

interface Deps {
  readonly scripts: Pick<Scripts, 'runInWorker'>
  toContext(asked: ExplainRequest): Context
  now(): number
  hasUpstream(id: string): boolean
}

const DEFAULT_LIMIT_MS = 50

/** Runs a script on a request that nobody has sent; always in the worker, so no traffic waits. */
export function createScriptTest({ scripts, toContext, ...tools }: Deps) {
  return async function test(asked: ScriptTest): Promise<ScriptTestOutcome> {
    const ctx = toContext(asked.request)
    ctx.newBody = asked.body === null ? null : Buffer.from(asked.body)
    const source = {
      phase: asked.phase,
      functions: [asked.function],
      mayReadBody: asked.conf['body'] === true,
      conf: JSON.stringify(asked.conf),
    }
    const limit = asked.conf['timeout_ms']
    const limitMs = typeof limit === 'number' ? limit : DEFAULT_LIMIT_MS
    const host = createHost(ctx, tools)
    const startedAt = performance.now()
    try {
      // A scope of its own: a script that is tried shares nothing with any route.
      const text = await scripts.runInWorker({
        ...{ script: createScript(source), scope: 'test', host, limitMs },
        restart() {},
        isGone: () => false,
      })
      const { changes, answer } = parseOutcome(text)
      return { ...ended(), result: answer, changes: changes.map(describe), error: null }
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error
      const { code, message, trace } = error
      return { ...ended(), result: null, changes: [], error: { code, message, stack: trace } }
    }

    function ended() {
      const duration = Math.round((performance.now() - startedAt) * 1000) / 1000
      return { logs: ctx.scriptLines ?? [], duration_ms: duration }
    }
  }
}

function describe([type, name, value]: readonly (string | null)[]) {
  return { type: type ?? '', name: name ?? '', value: value ?? null }
}
