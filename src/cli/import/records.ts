import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { isObject, OperatorError } from '#kernel'

/** One record of the file, or what is wrong with its line. */
export type FileRecord =
  | { readonly line: number; readonly data: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string }

export type FileFormat = 'ndjson' | 'csv'

/** The columns `tags:json` and the like hold JSON; all others hold text. */
const JSON_COLUMN = ':json'
const NOT_UTF8 = 'is not UTF-8: save the file as UTF-8'

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
  let line = 0
  for await (const bytes of linesOf(path)) {
    if (!isUtf8(bytes)) {
      yield { line: ++line, problem: NOT_UTF8 }
      continue
    }
    // A carriage return may also end a line by itself.
    for (const text of bytes
      .toString()
      .replace(/\r?\n$/, '')
      .split('\r')) {
      line++
      const trimmed = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trim()
      if (trimmed !== '') yield parseLine(line, trimmed)
    }
  }
}

/** As they lie in the file, with their ends. Not by readline, which also ends them at characters that a text in JSON may hold. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path)
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf('\n') + 1; end > 0; end = chunk.indexOf('\n', from) + 1) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)])
      begun = []
      from = end
    }
    begun.push(chunk.subarray(from))
  }
  yield Buffer.concat(begun)
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
  const parser = parse({
    bom: true,
    columns: false,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  // What breaks off the file is an error of the parser then, and so of the loop.
  pipeline(utf8Of(path), parser, () => {})
  let columns: readonly string[] | undefined
  for await (const { record: cells, info } of parser) {
    if (columns) yield toRecord(info.lines, columns, cells)
    else columns = named(cells)
  }
}

/** What is none would be stored as other characters. Tables in UTF-16 begin with a mark, by which the parser knows them. */
async function* utf8Of(path: string): AsyncGenerator<Buffer> {
  let line = 0
  let isUtf16 = false
  for await (const bytes of linesOf(path)) {
    line++
    if (line === 1) isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    if (!isUtf16 && !isUtf8(bytes)) throw new Error(`line ${line} ${NOT_UTF8}`)
    yield bytes
  }
}

/** Of two columns for one member one would be lost without a word. */
function named(columns: readonly string[]): readonly string[] {
  const members = columns.map(memberOf)
  const twice = members.find((member, at) => members.indexOf(member) !== at)
  if (twice !== undefined) throw new Error(`the column "${twice}" is named twice`)
  return columns
}

function memberOf(column: string): string {
  return column.endsWith(JSON_COLUMN) ? column.slice(0, -JSON_COLUMN.length) : column
}

/** An empty cell has no value; numbers, flags and dates are read from their text by the server. */
function toRecord(line: number, columns: readonly string[], cells: readonly string[]): FileRecord {
  // What a missing or further separator has moved would be stored under other names.
  if (cells.length !== columns.length) return { line, problem: otherCount(columns, cells) }
  const data = new Map<string, unknown>()
  for (const [at, column] of columns.entries()) {
    const text = cells[at] ?? ''
    const isJson = column.endsWith(JSON_COLUMN)
    try {
      data.set(memberOf(column), text === '' ? null : isJson ? JSON.parse(text) : text)
    } catch (error) {
      return { line, problem: `${column} is not valid JSON: ${messageOf(error)}` }
    }
  }
  return { line, data: Object.fromEntries(data) }
}

function otherCount(columns: readonly string[], cells: readonly string[]): string {
  const found = cells.length === 1 ? '1 cell' : `${cells.length} cells`
  return `has ${found}, the first line names ${columns.length}: quote what holds a comma`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
