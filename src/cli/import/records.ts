import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream'
import { isObject, OperatorError } from '#kernel'

/** One record of the file, or what is wrong with its line. */
export type FileRecord =
  | { readonly line: number; readonly data: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string }

export type FileFormat = 'ndjson' | 'csv'

/** The columns `tags:json` and the like hold JSON; all others hold text. */
const JSON_COLUMN = ':json'

/** Reads the file as it is needed, so that its size does not matter. */
export async function* readRecords(path: string, format: FileFormat): AsyncGenerator<FileRecord> {
  try {
    yield* format === 'csv' ? readCsv(path) : readLines(path)
  } catch (error) {
    const as = format === 'csv' ? ' as CSV' : ''
    throw new OperatorError(`${path} cannot be read${as}: ${messageOf(error)}`, error)
  }
}

async function* readLines(path: string): AsyncGenerator<FileRecord> {
  const stream = createReadStream(path, 'utf8')
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  let line = 0
  for await (const text of lines) {
    line++
    const trimmed = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trim()
    if (trimmed !== '') yield parseLine(line, trimmed)
  }
}

function parseLine(line: number, text: string): FileRecord {
  try {
    const data: unknown = JSON.parse(text)
    if (isObject(data)) return { line, data }
    return { line, problem: 'is not a JSON object' }
  } catch (error) {
    return { line, problem: `is not valid JSON: ${messageOf(error)}` }
  }
}

async function* readCsv(path: string): AsyncGenerator<FileRecord> {
  const { parse } = await import('csv-parse')
  const parser = parse({ bom: true, columns: named, info: true, skip_empty_lines: true })
  // What breaks off the file is an error of the parser then, and so of the loop.
  pipeline(createReadStream(path), parser, () => {})
  for await (const { record, info } of parser) yield toRecord(info.lines, record)
}

/** Of two columns for one member one would be lost without a word. */
function named(columns: readonly string[]): string[] {
  const members = columns.map(memberOf)
  const twice = members.find((member, at) => members.indexOf(member) !== at)
  if (twice !== undefined) throw new Error(`the column "${twice}" is named twice`)
  return [...columns]
}

function memberOf(column: string): string {
  return column.endsWith(JSON_COLUMN) ? column.slice(0, -JSON_COLUMN.length) : column
}

/** An empty cell has no value; numbers, flags and dates are read from their text by the server. */
function toRecord(line: number, row: Readonly<Record<string, string>>): FileRecord {
  const data: Record<string, unknown> = {}
  for (const [column, text] of Object.entries(row)) {
    if (!column.endsWith(JSON_COLUMN)) {
      data[column] = text === '' ? null : text
      continue
    }
    try {
      data[memberOf(column)] = text === '' ? null : JSON.parse(text)
    } catch (error) {
      return { line, problem: `${column} is not valid JSON: ${messageOf(error)}` }
    }
  }
  return { line, data }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
