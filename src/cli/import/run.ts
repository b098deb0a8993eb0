import type { Output } from '../command.ts'
import { type Batch, toBatches } from './batches.ts'
import { type FileFormat, readRecords } from './records.ts'
import { type Outcome, type Sent, sendBatch, type Target } from './send.ts'

export interface Import extends Target {
  readonly file: string
  readonly format: FileFormat
  /** Find by this attribute and change, else create; null: always create. */
  readonly upsert: string | null
  readonly batchSize: number
  /** Tells this run from every other. */
  readonly runId: string
}

export interface Totals {
  created: number
  updated: number
  unchanged: number
  failed: number
}

/** The server takes 5 MiB; the envelope and the rounding need a little of it. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_SHOWN = 50

/** Sends a file in order, two batches at a time, and says by line what was refused. */
export async function runImport(job: Import, output: Output): Promise<Totals> {
  const totals: Totals = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  const startedMs = performance.now()
  const batches = toBatches(readRecords(job.file, job.format), {
    maxOperations: job.batchSize,
    maxBytes: MAX_BYTES,
    toOperation: (data) => toOperation(data, job.upsert),
    onProblem: complain,
  })
  let number = 0
  let before: (Sent & Pick<Batch, 'lines'>) | undefined
  let next = batches.next()
  try {
    for (let { value, done } = await next; !done && value; { value, done } = await next) {
      const { body, lines } = value
      const sent = sendBatch(job, body, `import-${job.runId}-${++number}`, before)
      // While the server works the next ones are read.
      next = batches.next()
      next.catch(() => {})
      await noteAll(before)
      before = { ...sent, lines }
    }
  } finally {
    // A file that cannot be read any further is told when what was read before is stored.
    await noteAll(before)
  }
  output.progress?.('')
  return totals

  async function noteAll(batch: typeof before): Promise<void> {
    if (!batch) return
    before = undefined
    for (const outcome of await batch.outcomes) note(outcome, batch.lines[outcome.index] ?? 0)
    showProgress()
  }

  function note(outcome: Outcome, line: number): void {
    if (outcome.status >= 400) complain(line, problemOf(outcome))
    else if (outcome.unchanged) totals.unchanged++
    else if (outcome.status === 201) totals.created++
    else totals.updated++
  }

  function complain(line: number, message: string): void {
    totals.failed++
    output.progress?.('')
    if (totals.failed <= MAX_SHOWN) output.err(`line ${line}: ${message}`)
    if (totals.failed === MAX_SHOWN) output.err('Further lines that fail are only counted.')
  }

  function showProgress(): void {
    const done = totals.created + totals.updated + totals.unchanged + totals.failed
    const perSecond = Math.round(done / ((performance.now() - startedMs) / 1000))
    output.progress?.(`${done} records, ${perSecond} per second, ${totals.failed} failed`)
  }
}

function toOperation(data: Readonly<Record<string, unknown>>, key: string | null): object {
  return key === null ? { op: 'create', data } : { op: 'upsert', key, data }
}

function problemOf({ status, error }: Outcome): string {
  const details = error?.details ?? []
  if (details.length > 0) return details.map(({ message }) => message).join('; ')
  return error?.message ?? `refused with ${status}`
}
