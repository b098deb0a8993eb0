import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, BenchContext, Figure } from './kit/bench.ts'
import { median } from './kit/compare.ts'
import { serverSpec } from './kit/entrepot.ts'

const SETTLE_MS = 3_000

const start: Bench = {
  name: 'start',
  summary: 'start to ready on an existing database, and memory when idle',
  async run(context) {
    const dataDir = context.temporaryDirectory()
    await (await startOnce(context, dataDir)).stop()
    const times: number[] = []
    for (let round = 0; round < context.rounds; round++) {
      const child = await startOnce(context, dataDir)
      times.push(child.readyAfterMs / 1000)
      await child.stop()
    }
    const child = await startOnce(context, dataDir)
    await wait(SETTLE_MS)
    const must = { atMost: 1.5 }
    return {
      speeds: [],
      figures: [
        { what: 'start to ready', value: median(times), unit: 's', must },
        ...idleMemory(child.pid),
      ],
    }
  },
}
export default start

async function startOnce(context: BenchContext, dataDir: string) {
  const { spec } = await serverSpec(context.root, dataDir)
  return context.start(spec)
}

/** Resident memory of the process with all its threads, as Linux counts it. */
function idleMemory(pid: number): Figure[] {
  if (process.platform !== 'linux') return []
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const value = (Number(kilobytes) * 1024) / 1e6
  return [{ what: 'idle memory', value, unit: 'MB', must: { atMost: 200 } }]
}
