import type { Pool, PoolClient } from 'pg'
import {
  type Ask,
  type AskKind,
  type AskStep,
  type Batch,
  type BatchResult,
  type Cell,
  type Cells,
  feed,
} from './ask.ts'

/** A connection never forgets a prepared statement; one that knows too many is closed. */
const STATEMENTS_KEPT = 300

interface Known {
  readonly name: string
  uses: number
}

/**
 * Asks batches of PostgreSQL: each step as soon as those are answered that feed it. What is asked a
 * second time is prepared under a name, so that it is parsed once for each connection.
 */
export function postgresAsk(pools: Record<'read' | 'scan', Pool>): Ask {
  const known = new WeakMap<AskStep, Known>()
  const prepared = new WeakMap<PoolClient, Set<string>>()
  let last = 0
  return ask

  async function ask(
    batch: Batch,
    parameters: readonly (readonly unknown[])[],
    kind: AskKind,
  ): Promise<BatchResult> {
    const answers: Promise<readonly Cells[]>[] = []
    let tookMs = 0
    for (const [at, step] of batch.steps.entries()) {
      answers.push(answerTo(step, parameters[at] ?? [], answers.slice()))
    }
    // Every promise is listened to before the first is awaited: none may fail unheard.
    const rows = await Promise.all(answers)
    return { rows, tookMs }

    async function answerTo(
      step: AskStep,
      given: readonly unknown[],
      before: readonly Promise<readonly Cells[]>[],
    ): Promise<readonly Cells[]> {
      const rows = await rowsBefore(step, before)
      const values = feed<unknown>(step, given, rows, (cells: Cell[]) => cells)
      if (!values) return []
      const client = await pools[kind === 'scan' ? 'scan' : 'read'].connect()
      const startedMs = performance.now()
      try {
        return await run(client, step, [...values])
      } finally {
        tookMs += performance.now() - startedMs
        client.release((prepared.get(client)?.size ?? 0) > STATEMENTS_KEPT)
      }
    }
  }

  async function run(client: PoolClient, step: AskStep, values: unknown[]) {
    const name = nameOf(client, step)
    const { rows } = await client.query<Cell[]>({
      text: step.sql,
      values,
      rowMode: 'array',
      ...(name === undefined ? {} : { name }),
    })
    return rows
  }

  function nameOf(client: PoolClient, step: AskStep): string | undefined {
    const own = known.get(step) ?? { name: `ask${++last}`, uses: 0 }
    known.set(step, own)
    if (++own.uses === 1) return undefined
    const names = prepared.get(client) ?? new Set()
    prepared.set(client, names.add(own.name))
    return own.name
  }
}

async function rowsBefore(
  { fed }: AskStep,
  before: readonly Promise<readonly Cells[]>[],
): Promise<(readonly Cells[] | undefined)[]> {
  const rows: (readonly Cells[] | undefined)[] = []
  for (const { step } of fed) rows[step] = await before[step]
  return rows
}
