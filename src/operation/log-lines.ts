import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { EventStream } from '#http'
import { DomainError, isObject } from '#kernel'

type LineLevel = 'debug' | 'info' | 'warn' | 'error'

interface LogLine {
  readonly level: string
  readonly time: string
  readonly thread: string
  readonly msg: string
  readonly [member: string]: unknown
}

const NUMBERS: Readonly<Record<LineLevel, number>> = { debug: 0, info: 30, warn: 40, error: 50 }
const NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
const CHUNK_BYTES = 64 * 1024
/** What is older than this many bytes is for tools on the host. */
const MOST_BYTES = 4 * 1024 * 1024
const LOOK_EVERY_MS = 500
const NEW_LINE = 0x0a

/** The log of this process as it is written to its file; lines are masked when they are written. */
export function createLogLines(file: string | null) {
  return { last, follow }

  /** The newest that fit, oldest of them first. */
  function last(limit: number, level: LineLevel, part: string | undefined): LogLine[] {
    const path = requireFile()
    const found: LogLine[] = []
    const wanted = part?.toLowerCase()
    for (const text of linesFromEnd(path)) {
      if (wanted !== undefined && !text.toLowerCase().includes(wanted)) continue
      const line = parseLine(text, level)
      if (line && found.push(line) >= limit) break
    }
    return found.reverse()
  }

  /** Sends what is written from now on, until the client leaves. */
  function follow(stream: EventStream, level: LineLevel): () => void {
    const path = requireFile()
    let at = sizeOf(path)
    let rest: Buffer = Buffer.alloc(0)
    const timer = setInterval(look, LOOK_EVERY_MS)
    return () => clearInterval(timer)

    function look(): void {
      const size = sizeOf(path)
      // A smaller one is a new file.
      if (size < at) forget(0)
      // After a flood the newest count.
      if (size - at > MOST_BYTES) forget(size - MOST_BYTES)
      const read = readBytes(path, at, size - at)
      at += read.length
      const bytes = Buffer.concat([rest, read])
      const end = bytes.lastIndexOf(NEW_LINE) + 1
      rest = bytes.subarray(end)
      for (const each of bytes.subarray(0, end).toString().split('\n')) {
        const line = parseLine(each, level)
        if (line) stream.send('line', line)
      }
    }

    function forget(from: number): void {
      at = from
      rest = Buffer.alloc(0)
    }
  }

  function requireFile(): string {
    if (file !== null) return file
    throw new DomainError(
      'not_found',
      'log_not_kept',
      'The log of this node goes to standard output; set log.to to file to read it here',
    )
  }
}

export type LogLines = ReturnType<typeof createLogLines>

function parseLine(text: string, level: LineLevel): LogLine | undefined {
  const parsed = tryParse(text)
  if (!isObject(parsed)) return undefined
  const { level: number, time, thread, msg, ...rest } = parsed
  if (typeof number !== 'number' || number < NUMBERS[level]) return undefined
  return {
    level: NAMES[number] ?? String(number),
    time: String(time),
    thread: String(thread),
    msg: String(msg ?? ''),
    ...rest,
  }
}

/** The first line of what is read may be cut off. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whole lines, the last first, without holding more than a chunk and a line. */
function* linesFromEnd(path: string): Generator<string> {
  const size = sizeOf(path)
  const firstByte = Math.max(0, size - MOST_BYTES)
  let rest: Buffer = Buffer.alloc(0)
  for (let end = size; end > firstByte; ) {
    const start = Math.max(firstByte, end - CHUNK_BYTES)
    const bytes = Buffer.concat([readBytes(path, start, end - start), rest])
    const cut = start === firstByte ? -1 : bytes.indexOf(NEW_LINE)
    const isOneLine = cut < 0 && start !== firstByte
    rest = isOneLine ? bytes : bytes.subarray(0, cut + 1)
    if (!isOneLine) {
      const lines = bytes
        .subarray(cut + 1)
        .toString()
        .split('\n')
      for (const line of lines.reverse()) if (line !== '') yield line
    }
    end = start
  }
}

/** As many as there are: the file may be another one meanwhile. */
function readBytes(path: string, start: number, length: number): Buffer {
  return withFile(path, Buffer.alloc(0), (file) => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, start))
  })
}

function sizeOf(path: string): number {
  return withFile(path, 0, (file) => fstatSync(file).size)
}

/** `absent` where there is no file: one that is full is moved aside a moment before the next is made. */
function withFile<T>(path: string, absent: T, work: (file: number) => T): T {
  const file = tryOpen(path)
  if (file === undefined) return absent
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isObject(error) && error['code'] === 'ENOENT') return undefined
    throw error
  }
}
