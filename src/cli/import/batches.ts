import type { FileRecord } from './records.ts'

export interface Batch {
  /** As JSON, in the order of `lines`. */
  readonly operations: readonly string[]
  /** The line of the file that each operation came from. */
  readonly lines: readonly number[]
}

export interface BatchRules {
  readonly maxOperations: number
  readonly maxBytes: number
  toOperation(data: Readonly<Record<string, unknown>>): object
  /** A line that cannot be sent. */
  onProblem(line: number, message: string): void
}

/** Groups records into requests that the server takes. */
export async function* toBatches(
  records: AsyncIterable<FileRecord>,
  { maxOperations, maxBytes, toOperation, onProblem }: BatchRules,
): AsyncGenerator<Batch> {
  let operations: string[] = []
  let lines: number[] = []
  let bytes = 0
  for await (const record of records) {
    if ('problem' in record) {
      onProblem(record.line, record.problem)
      continue
    }
    const operation = JSON.stringify(toOperation(record.data))
    const size = Buffer.byteLength(operation) + 1
    if (size > maxBytes) {
      onProblem(record.line, `is too large: ${size} bytes, ${maxBytes} can be sent`)
      continue
    }
    if (operations.length === maxOperations || bytes + size > maxBytes) {
      yield { operations, lines }
      operations = []
      lines = []
      bytes = 0
    }
    operations.push(operation)
    lines.push(record.line)
    bytes += size
  }
  if (operations.length > 0) yield { operations, lines }
}
