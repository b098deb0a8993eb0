import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench, BenchContext, Outcome } from './bench.ts'
import { startChild } from './child.ts'
import type { LoadTool } from './load.ts'

export interface Effort {
  readonly tool: LoadTool
  readonly rounds: number
  readonly secondsPerRound: number
  readonly than: string | null
  readonly rows: RegExp | null
  readonly entries: number | null
  readonly types: number | null
  say(text: string): void
}

/** Runs one benchmark and leaves neither processes nor files behind. */
export async function runBench(bench: Bench, effort: Effort): Promise<Outcome> {
  const undo: (() => void | Promise<void>)[] = []
  const context: BenchContext = {
    ...effort,
    root: fileURLToPath(new URL('../..', import.meta.url)),
    async start(spec) {
      const child = await startChild(spec)
      undo.push(child.stop)
      return child
    },
    undo: (step) => void undo.push(step),
    temporaryDirectory() {
      const directory = mkdtempSync(join(tmpdir(), 'entrepot-bench-'))
      undo.push(() => rmSync(directory, { recursive: true, force: true }))
      return directory
    },
  }
  try {
    return await bench.run(context)
  } finally {
    // The last first: a proxy before its backend, a server before its data.
    for (const step of undo.reverse()) await step()
  }
}
