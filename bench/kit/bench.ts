import type { Child, ChildSpec } from './child.ts'
import type { LoadTool } from './load.ts'

/** What `bench/run.ts` finds as the default export of every file directly in `bench/`. */
export interface Bench {
  /** The area on the command line; equals the file name. */
  readonly name: string
  readonly summary: string
  /** Unless the command line says otherwise. */
  readonly effort?: { readonly rounds: number; readonly secondsPerRound: number }
  run(context: BenchContext): Promise<Outcome>
}

export interface BenchContext {
  /** The project's directory. */
  readonly root: string
  readonly tool: LoadTool
  readonly rounds: number
  readonly secondsPerRound: number
  /** Another checkout of the project, to be measured in the same run; null: none. */
  readonly than: string | null
  /** Only rows whose names match; null: all. A benchmark without rows measures everything. */
  readonly rows: RegExp | null
  /** How many entries to measure with; null: as many as the benchmark wants. */
  readonly entries: number | null
  /** The same of content types. */
  readonly types: number | null
  /** Resolves when the child answers; it is stopped when the benchmark ends, however it ends. */
  start(spec: ChildSpec): Promise<Child>
  /** Done when the benchmark ends, the last first. */
  undo(step: () => void | Promise<void>): void
  /** Removed when the benchmark ends. */
  temporaryDirectory(): string
  say(text: string): void
}

export interface Outcome {
  /** Throughput of each target, in the order they are to be read. */
  readonly speeds: readonly Speed[]
  /** Printed in place of the speeds, where these are too many to be read one by one. */
  readonly matrix?: Matrix
  readonly figures: readonly Figure[]
}

export interface Matrix {
  readonly head: readonly string[]
  readonly lines: readonly (readonly string[])[]
  readonly notes: readonly string[]
}

export interface Speed {
  readonly what: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of each round, in order. */
  readonly eachPerSecond?: readonly number[]
}

/** One number a claim can be made of. Machines differ, so most are ratios inside one run. */
export interface Figure {
  readonly what: string
  readonly value: number
  /** Empty: a plain number. */
  readonly unit: 'x' | 's' | 'ms' | 'MB' | ''
  /** Absent where the figure is only shown. What it should reach, `aim`, decides nothing. */
  readonly must?: { readonly atLeast: number; readonly aim?: number } | { readonly atMost: number }
}
