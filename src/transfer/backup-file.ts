import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { parseRow, renderRow } from '#db-transfer'
import { OperatorError } from '#kernel'
import { type BackupRecord, createByteSum, createRowSum, type Header } from './records.ts'

/** A name that ends so is one file of the portable format (docs/decisions/0125). */
export const BACKUP_ENDING = '.entrepot'

/** Behind the name of one that is still written. */
export const PART = '.part'

const NEW_LINE = 10
const BLOCK_BYTES = 64 * 1024

/** What a backup has in it. */
export interface Contents {
  tables: number
  rows: number
  files: number
  fileBytes: number
}

/**
 * Lines of JSON, compressed: the header, then for each table its name, its rows as lists and their sum, then the
 * files likewise. The last line has the sum of all before. The name is there only when all of it is.
 */
export async function writeBackup(
  path: string,
  records: AsyncIterable<BackupRecord>,
): Promise<Contents & { readonly bytes: number }> {
  const part = `${path}${PART}`
  const contents: Contents = { tables: 0, rows: 0, files: 0, fileBytes: 0 }
  const file = await open(part, 'wx', 0o600).catch((error) => {
    throw new OperatorError(`${part} cannot be written: ${error.message}`, error)
  })
  try {
    await pipeline(
      blocksOf(linesOf(counted(records, contents))),
      createZstdCompress(),
      async (chunks) => {
        // All of it or an error: a disk that is nearly full takes a part of a chunk and says nothing.
        for await (const chunk of chunks) await file.appendFile(chunk)
      },
    )
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  }
  return { ...contents, bytes: (await stat(path)).size }
}

/** Throws an `OperatorError` at the first part that is not as it was written; before that, all is as it was. */
export async function* readBackup(path: string): AsyncGenerator<BackupRecord> {
  const whole = createHash('sha256')
  const check = createCheck(path)
  let isWhole = false
  try {
    for await (const line of linesIn(path)) {
      if (isWhole) throw damaged(path, 'there is something behind its end')
      const value: unknown = JSON.parse(line)
      if (isEnd(value)) {
        if (value.sum !== whole.digest('hex')) throw damaged(path, 'its sum is another one')
        isWhole = true
        continue
      }
      whole.update(`${line}\n`)
      const record = toRecord(path, line, value)
      check(record)
      yield record
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw damaged(path, error instanceof Error ? error.message : String(error))
  }
  if (!isWhole) throw damaged(path, 'its end is missing')
}

/** Throws where a table or a file has not the sum that stands behind it. */
function createCheck(path: string) {
  let rowSum = createRowSum()
  let byteSum = createByteSum()
  return (record: BackupRecord) => {
    if (record.kind === 'table') rowSum = createRowSum()
    if (record.kind === 'file') byteSum = createByteSum()
    if (record.kind === 'rows') rowSum.add(record.rows)
    if (record.kind === 'bytes') byteSum.add(record.bytes)
    if (record.kind !== 'table end' && record.kind !== 'file end') return
    const { sum } = record.kind === 'table end' ? rowSum.result() : byteSum.result()
    if (sum !== record.sum) throw damaged(path, 'the sum of a part is another one')
  }
}

/** Reads all of it and throws unless it is whole. */
export async function verifyBackup(path: string): Promise<Header> {
  let found: Header | undefined
  for await (const record of readBackup(path)) {
    if (record.kind === 'header') found = record.header
  }
  if (!found) throw damaged(path, 'it has no header')
  return found
}

function damaged(path: string, why: string): OperatorError {
  return new OperatorError(`${path} is not a complete backup: ${why}. Take another one.`)
}

async function* counted(records: AsyncIterable<BackupRecord>, contents: Contents) {
  for await (const record of records) {
    if (record.kind === 'header') contents.tables = record.header.tables.length
    if (record.kind === 'table end') contents.rows += record.rows
    if (record.kind === 'file end') {
      contents.files++
      contents.fileBytes += record.bytes
    }
    yield record
  }
}

async function* linesOf(records: AsyncIterable<BackupRecord>) {
  const whole = createHash('sha256')
  for await (const record of records) {
    const lines = renderRecord(record)
    whole.update(lines)
    yield lines
  }
  yield `${JSON.stringify({ end: 'backup', sum: whole.digest('hex') })}\n`
}

function renderRecord(record: BackupRecord): string {
  switch (record.kind) {
    case 'header':
      return `${JSON.stringify({ entrepot: 'backup', ...record.header })}\n`
    case 'table':
      return `${JSON.stringify({ table: record.name })}\n`
    case 'rows':
      return record.rows.map((row) => `${renderRow(row)}\n`).join('')
    case 'table end':
      return `${JSON.stringify({ end: 'table', rows: record.rows, sum: record.sum })}\n`
    case 'file':
      return `${JSON.stringify({ file: record.path })}\n`
    case 'bytes':
      return `${JSON.stringify(Buffer.from(record.bytes).toString('base64'))}\n`
    case 'file end':
      return `${JSON.stringify({ end: 'file', bytes: record.bytes, sum: record.sum })}\n`
  }
}

function toRecord(path: string, line: string, value: unknown): BackupRecord {
  if (Array.isArray(value)) return { kind: 'rows', rows: [parseRow(value)] }
  if (typeof value === 'string') return { kind: 'bytes', bytes: Buffer.from(value, 'base64') }
  if (typeof value !== 'object' || value === null) throw damaged(path, 'a line is no record')
  if ('entrepot' in value) return { kind: 'header', header: toHeader(path, line) }
  if ('table' in value) return { kind: 'table', name: String(value.table) }
  if ('file' in value) return { kind: 'file', path: String(value.file) }
  if (!('sum' in value)) throw damaged(path, 'a line is no record')
  const sum = String(value.sum)
  if ('rows' in value) return { kind: 'table end', rows: Number(value.rows), sum }
  if ('bytes' in value) return { kind: 'file end', bytes: Number(value.bytes), sum }
  throw damaged(path, 'a line is no record')
}

function toHeader(path: string, line: string): Header {
  const header: Header = JSON.parse(line)
  if (header.format !== 2) {
    throw new OperatorError(`${path} was made by a newer Entrepot (${header.version}).`)
  }
  return header
}

function isEnd(value: unknown): value is { sum: string } {
  return typeof value === 'object' && value !== null && 'end' in value && value.end === 'backup'
}

/** Compressing takes a block as quickly as a line. */
async function* blocksOf(lines: AsyncIterable<string>) {
  let block = ''
  for await (const line of lines) {
    block += line
    if (block.length < BLOCK_BYTES) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}

/** Texts may have any other character that is taken for the end of a line elsewhere. */
async function* linesIn(path: string): AsyncGenerator<string> {
  const file = createReadStream(path).on('error', (error) => plain.destroy(error))
  const plain = file.pipe(createZstdDecompress())
  const chunks: AsyncIterable<Buffer> = plain
  let pending: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, at)]).toString()
      pending = []
      from = at + 1
    }
    if (from < chunk.length) pending.push(chunk.subarray(from))
  }
  if (pending.length > 0) throw new Error('it ends within a line')
}
