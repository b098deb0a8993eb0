import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { hashIn } from './names.ts'

interface Deps {
  readonly directory: string
  readonly maxBytes: number
  /** Which of these can be had again; others are not removed, whatever their size. */
  heldOf(names: readonly string[]): Promise<ReadonlySet<string>>
}

/** How exactly the cache knows when a file was last used. */
const USED_WITHIN_MS = 3_600_000
/** A sweep makes room for a while, so that not every new file needs one. */
const LEFT_SHARE = 0.9
const SWEEP_SHARE = 0.05
const NAMES_AT_ONCE = 500

interface Cached {
  readonly name: string
  readonly bytes: number
  readonly usedMs: number
}

/**
 * Keeps a directory below a size by removing what was longest unused. Threads of a process share it
 * and sweep on their own, so for a moment it may exceed its size by a twentieth for each.
 */
export function createCacheSweep({ directory, maxBytes, heldOf }: Deps) {
  let addedBytes = Number.POSITIVE_INFINITY
  let sweeping: Promise<void> | undefined
  return { added, used, sweep }

  async function added(bytes: number): Promise<void> {
    addedBytes += bytes
    if (addedBytes > maxBytes * SWEEP_SHARE) await sweep()
  }

  /** The time of last access is ours to set: file systems are mounted without it. */
  async function used(name: string): Promise<void> {
    const path = join(directory, name)
    const { atimeMs, mtime } = await stat(path)
    if (Date.now() - atimeMs > USED_WITHIN_MS) await utimes(path, new Date(), mtime)
  }

  function sweep(): Promise<void> {
    sweeping ??= run().finally(() => {
      sweeping = undefined
    })
    return sweeping
  }

  async function run(): Promise<void> {
    addedBytes = 0
    const files = await listed()
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes <= maxBytes) return
    const oldest = files.toSorted((one, other) => one.usedMs - other.usedMs)
    for (let at = 0; at < oldest.length; at += NAMES_AT_ONCE) {
      const some = oldest.slice(at, at + NAMES_AT_ONCE)
      const held = await heldOf(some.map(({ name }) => name))
      for (const file of some.filter(({ name }) => held.has(name))) {
        if (bytes <= maxBytes * LEFT_SHARE) return
        await rm(join(directory, file.name), { force: true })
        bytes -= file.bytes
      }
    }
  }

  async function listed(): Promise<Cached[]> {
    const found: Cached[] = []
    for (const name of await readdir(directory).catch(() => [])) {
      if (hashIn(name) === undefined) continue
      const stats = await stat(join(directory, name)).catch(() => undefined)
      if (stats) found.push({ name, bytes: stats.size, usedMs: stats.atimeMs })
    }
    return found
  }
}
