// YAML in a thread of its own; whoever opens this door does not load the package.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { YamlLimits } from './parse.ts'

/** JSON to be written as YAML when there are no limits, else YAML to be read. */
export interface Task {
  readonly text: string
  readonly limits: YamlLimits | null
}

export type TaskOutcome = { readonly text: string } | { readonly fault: string }

/** Far more than the largest body within its limits takes, on a busy machine too. */
const LONGEST_MS = 60_000
const MOST_MEMORY = { maxOldGenerationSizeMb: 1_024 }

/** One after the other: many large bodies at once would need as many threads and their memory. */
let last: Promise<unknown> = Promise.resolve()

/** What the text says, or why it cannot be read, with line and column. */
export async function readYamlApart(
  text: string,
  limits: YamlLimits,
): Promise<{ readonly value: unknown } | { readonly fault: string }> {
  const outcome = await inTurn({ text, limits })
  return 'fault' in outcome ? outcome : { value: JSON.parse(outcome.text) }
}

export async function writeYamlApart(value: unknown): Promise<string> {
  const outcome = await inTurn({ text: JSON.stringify(value), limits: null })
  if ('fault' in outcome) throw new Error(outcome.fault)
  return outcome.text
}

function inTurn(task: Task): Promise<TaskOutcome> {
  const mine = last.then(() => run(task))
  last = mine.catch(() => {})
  return mine
}

async function run(task: Task): Promise<TaskOutcome> {
  const entry = new URL(import.meta.resolve('#yaml-thread'))
  const worker = new Worker(entry, { workerData: task, resourceLimits: MOST_MEMORY })
  try {
    const signal = AbortSignal.timeout(LONGEST_MS)
    const [outcome]: TaskOutcome[] = await once(worker, 'message', { signal })
    if (!outcome) throw new Error('the thread said nothing')
    return outcome
  } finally {
    await worker.terminate()
  }
}
