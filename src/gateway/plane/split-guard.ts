import type { PluginDeps } from './plugin.ts'

interface Terms {
  readonly error_ratio: number
  readonly min_requests?: number
  readonly window?: number
}

/** Watches one entry of a split and takes it out of use when too many of its answers are failures. */
export interface SplitGuard {
  isAborted(): boolean
  note(isFailure: boolean): void
}

/** Told again when nothing came of it, because the store was away. */
const AGAIN_MS = 1_000

/**
 * Counted over all threads of the process. A thread that finds too many failures stops using the
 * entry at once; the others find the same with their next answer or hear of it by the configuration.
 */
export function createSplitGuard(
  { error_ratio: ratio, min_requests: least = 20, window = 30 }: Terms,
  part: string,
  deps: PluginDeps,
  onAbort: () => void,
): SplitGuard {
  const { counters, clock, owner, edition } = deps
  const span = { kind: 'fixed', ms: Math.round(window * 1000) } as const
  // An edit begins anew, so what was counted before it must not be met again.
  const name = `${owner}/${edition}/${part}`
  let isAborted = deps.isAborted(part)
  let toldAtMs = Number.NEGATIVE_INFINITY
  return { isAborted: () => isAborted, note }

  function note(isFailure: boolean): void {
    const { results } = counters.add([
      { name: `${name}/requests`, window: span, amount: 1, limit: null },
      { name: `${name}/errors`, window: span, amount: isFailure ? 1 : 0, limit: null },
    ])
    const [requests = 0, errors = 0] = results.map(({ value }) => value)
    if (requests < least || errors / requests <= ratio) return
    tell(requests, errors)
  }

  function tell(requests: number, errors: number): void {
    const nowMs = clock.now()
    if (deps.isAborted(part) || nowMs - toldAtMs < AGAIN_MS) return
    toldAtMs = nowMs
    isAborted = true
    onAbort()
    deps.abort(part, { requests, errors })
  }
}
