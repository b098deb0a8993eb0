import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileBytes, OpenedBytes } from './file-bytes.ts'
import { INCOMING } from './incoming.ts'
import { hashIn } from './names.ts'

/** Bytes as files of one directory. */
export function createDirectoryBytes(directory: string): FileBytes {
  return { take, open, toLocal, remove, doubt, settle, names, needsSync: true }

  async function take(path: string, name: string): Promise<void> {
    await mkdir(directory, { recursive: true })
    await rename(path, join(directory, name))
  }

  async function open(name: string): Promise<OpenedBytes | undefined> {
    const path = join(directory, name)
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile()) return undefined
    return {
      sizeBytes: found.size,
      read: (start, end) => createReadStream(path, { start, end }),
    }
  }

  async function toLocal(name: string): Promise<string | undefined> {
    return (await open(name)) && join(directory, name)
  }

  async function remove(removed: readonly string[]): Promise<void> {
    await Promise.all(removed.map((name) => rm(join(directory, name), { force: true })))
    await settle(removed)
  }

  async function doubt(names: readonly string[]): Promise<void> {
    await mkdir(join(directory, INCOMING), { recursive: true })
    await Promise.all(names.map((name) => writeFile(join(directory, INCOMING, name), '')))
  }

  async function settle(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => rm(join(directory, INCOMING, name), { force: true })))
  }

  async function* names(): AsyncGenerator<string> {
    const found = await readdir(directory).catch(() => [])
    yield* found.filter((name) => hashIn(name) !== undefined).sort()
  }
}
