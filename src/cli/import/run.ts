import type { Output } from '../command.ts'
import { toBatches } from './batches.ts'
import { type FileFormat, readRecords } from './records.ts'
import { type Outcome, sendBatch, type Target } from './send.ts'

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

export function summaryOf({ created, updated, unchanged, failed }: Totals): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`
}

function doneOf({ created, updated, unchanged, failed }: Totals): number {
  return created + updated + unchanged + failed
}

/** The server takes 5 MiB; the envelope and the rounding need a little of it. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_SHOWN = 50

/** Sends a file in order, batch by batch, and says by line what was refused. */
export async function runImport(job: Import, output: Output): Promise<Totals> {
  const totals: Totals = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  const startedMs = performance.now()
  const batches = toBatches(readRecords(job.file, job.format), {
    maxOperations: job.batchSize,
    maxBytes: MAX_BYTES,
    toOperation: (data) => toOperation(data, job.upsert),
    onProblem: complain,
  })
  try {
    await sendAll()
  } catch (error) {
    output.progress?.('')
    // Whoever goes on by hand has to know what is there already.
    if (doneOf(totals) > 0) output.err(`Broken off: ${summaryOf(totals)}`)
    throw error
  }
  output.progress?.('')
  return totals

  async function sendAll(): Promise<void> {
    let number = 0
    let next = batches.next()
    for (let { value, done } = await next; !done && value; { value, done } = await next) {
      const { operations, lines } = value
      const sent = sendBatch(job, operations, `import-${job.runId}-${++number}`)
      // While the server works the next ones are read; they are sent in order.
      next = batches.next()
      // A file that cannot be read any further is told when what was read before is stored.
      next.catch(() => {})
      for (const outcome of await sent) note(outcome, lines[outcome.index] ?? 0)
      showProgress()
    }
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
    const done = doneOf(totals)
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
