import { once } from 'node:events'
import type { Leases } from './leases.ts'
import { createLoop, type Loop, type LoopDeps } from './loop.ts'

interface Deps extends LoopDeps {
  readonly leases: Pick<Leases, 'tryHold'>
  /** A dead leader is followed by another node after this time. */
  readonly ttlMs: number
}

interface GroupDeps extends Pick<Deps, 'leases' | 'ttlMs' | 'name' | 'log' | 'random'> {
  readonly loops: readonly Pick<
    LoopDeps,
    'name' | 'everyMs' | 'idleMs' | 'restMs' | 'wake' | 'run'
  >[]
}

/**
 * A loop that runs on one node of many: the one that holds the lease of the loop's name. The lease
 * is kept between turns, since taking it for each would cost two more writes.
 */
export function createLedLoop({ leases, ttlMs, ...loop }: Deps): Loop {
  const { name, log, random } = loop
  return createLedLoops({ leases, ttlMs, name, log, random, loops: [loop] })
}

/** Several loops of one kind of work under one lease: all of them run on the same node. */
export function createLedLoops({ leases, ttlMs, name, log, random, loops }: GroupDeps): Loop {
  return createLoop({
    name: `lease of ${name}`,
    everyMs: ttlMs / 3,
    log,
    random,
    run: (signal) => leases.tryHold(name, { ttlMs, signal }, lead),
  })

  async function lead(signal: AbortSignal) {
    const led = loops.map((loop) => createLoop({ ...loop, log, random }))
    if (!signal.aborted) await once(signal, 'abort')
    await Promise.all(led.map((loop) => loop.stop()))
  }
}
