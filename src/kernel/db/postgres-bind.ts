import type { Connection } from 'pg'

/** A value on its way to the server. */
export type Wire = string | Buffer | null

/** Bytes of this length are sent from where they lie. */
const LARGE_BYTES = 16 * 1024
const BIND = 0x42
const TEXT = 0
const BINARY = 1
const NULL_LENGTH = -1

/**
 * The Bind message of the extended protocol. The client itself copies its values into buffers that grow, several times
 * their length in all: a picture of 300 KB leaves megabytes for the collector, in the thread that answers requests.
 */
export function sendBind(connection: Connection, statement: string, values: readonly Wire[]): void {
  if (!values.some(isLarge)) {
    connection.bind({ statement, values: [...values] }, true)
    return
  }
  const parts = [
    Buffer.from(`\0${statement}\0`),
    int16s([values.length, ...values.map(formatOf), values.length]),
    ...values.flatMap(lengthAndBytes),
    // Every column of the answer as text.
    int16s([1, TEXT]),
  ]
  const length = parts.reduce((sum, part) => sum + part.length, 4)
  for (const part of [Buffer.of(BIND), int32(length), ...parts]) connection.stream.write(part)
}

function isLarge(value: Wire): boolean {
  return Buffer.isBuffer(value) && value.length >= LARGE_BYTES
}

function formatOf(value: Wire): number {
  return Buffer.isBuffer(value) ? BINARY : TEXT
}

function lengthAndBytes(value: Wire): Buffer[] {
  if (value === null) return [int32(NULL_LENGTH)]
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value)
  return [int32(bytes.length), bytes]
}

function int16s(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length)
  for (const [at, number] of numbers.entries()) bytes.writeInt16BE(number, 2 * at)
  return bytes
}

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(number)
  return bytes
}
