import { rmSync } from 'node:fs'
import { chmod, type FileHandle, open, realpath, rename, stat } from 'node:fs/promises'
import { OperatorError } from '#kernel'
import type { Collecting } from '#scrape'
import type { Terminal } from '../command.ts'

/** Where results go; without a path to standard output. */
export interface Target {
  readonly format: 'ndjson' | 'csv'
  readonly path: string | null
}

interface Results {
  /** Takes items as they come, or all of them when the run is `over`. */
  take(from: Pick<Collecting, 'ndjson' | 'csv'>, over: Promise<unknown>): Promise<void>
  /** The file gets its name. */
  keep(): Promise<void>
  /** Removes what was not kept. */
  discard(): Promise<void>
}

interface Screen {
  readonly write: Terminal['write']
  beforeWrite(): void
}

/**
 * A file is written under another name beside its own and renamed when it is whole, so that whoever
 * reads it finds the old one or the new one. That it can be written is known before the run begins.
 */
export async function openTarget({ format, path }: Target, screen: Screen): Promise<Results> {
  if (path === null) {
    const write = async (text: string) => {
      screen.beforeWrite()
      await screen.write(text)
    }
    return { take: (from) => pour(from.ndjson(), write), keep: nothing, discard: nothing }
  }
  const final = await realpath(path).catch(() => path)
  const part = `${final}.${process.pid}.part`
  const file = await openPart(path, final, part)
  const removePart = () => rmSync(part, { force: true })
  process.once('exit', removePart)
  let isOpen = true
  return { take, keep, discard }

  async function take(from: Pick<Collecting, 'ndjson' | 'csv'>, over: Promise<unknown>) {
    if (format === 'csv') await over
    const lines = format === 'csv' ? from.csv() : from.ndjson()
    await pour(lines, (line) => file.appendFile(line).catch(refuse))
  }

  function refuse(error: unknown): never {
    throw new OperatorError(`${path} cannot be written: ${reasonOf(error)}`, error)
  }

  async function keep() {
    await file.sync()
    await close()
    await rename(part, final)
  }

  async function discard() {
    await close()
    removePart()
    process.off('exit', removePart)
  }

  async function close() {
    if (isOpen) await file.close()
    isOpen = false
  }
}

async function nothing() {}

/** Of a file that is replaced the rights stay. */
async function openPart(path: string, final: string, part: string): Promise<FileHandle> {
  try {
    const before = await stat(final).catch(() => undefined)
    if (before && !before.isFile()) throw new Error('it is no file')
    const file = await open(part, 'wx')
    if (before) await chmod(part, before.mode)
    return file
  } catch (error) {
    const next = 'name another file with --out'
    throw new OperatorError(`${path} cannot be written: ${reasonOf(error)}; ${next}`, error)
  }
}

async function pour(lines: AsyncIterable<string>, write: (text: string) => Promise<void>) {
  for await (const line of lines) await write(line)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
