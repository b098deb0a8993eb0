import { constants, lstatSync, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { makeDirectory } from '#kernel'

/** Where files of logs may lie: the first place is that of relative paths. */
export type LogDirectories = readonly [string, ...string[]]

interface Place {
  readonly root: string
  readonly file: string
}

/** Why a path cannot be a file of logs; null when it can. */
export function logPathFault(path: string, directories: LogDirectories): string | null {
  const place = placeOf(path, directories)
  return typeof place === 'string' ? place : linkFault(place)
}

function placeOf(path: string, directories: LogDirectories): Place | string {
  if (!/^[^\p{Cc}]*$/u.test(path)) return 'must have no control characters'
  const [own] = directories
  const file = isAbsolute(path) ? resolve(path) : resolve(own, path)
  if (path.endsWith(sep)) return 'must name a file'
  const allowed = isAbsolute(path) ? directories : [own]
  const root = allowed.find((each) => file.startsWith(`${resolve(each)}${sep}`))
  if (root !== undefined) return { root: resolve(root), file }
  return isAbsolute(path)
    ? 'must lie in a directory of the setting gateway.log_dirs'
    : 'must stay below the directory for logs'
}

/** A link could lead anywhere, so that none is followed. */
function linkFault({ root, file }: Place): string | null {
  const parts = file.slice(root.length + 1).split(sep)
  let at = root
  for (const [index, part] of parts.entries()) {
    at = join(at, part)
    const found = statOf(at)
    if (!found) return null
    if (found.isSymbolicLink()) return 'must not lead through a symbolic link'
    const isLast = index === parts.length - 1
    if (isLast ? !found.isFile() : !found.isDirectory()) {
      return isLast ? 'is not a file' : 'leads through something that is no directory'
    }
  }
  return null
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW

/**
 * Appends whole lines, each batch in one write, so that several threads can share a file. Opened again
 * when somebody has moved or removed it.
 */
export function createLogFile(path: string, directories: LogDirectories) {
  let handle: FileHandle | null = null
  return { send, close }

  async function send(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const file = await current()
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at)
      at += bytesWritten
    }
  }

  async function current(): Promise<FileHandle> {
    const place = placeOf(path, directories)
    const fault = typeof place === 'string' ? place : linkFault(place)
    if (typeof place === 'string' || fault !== null) throw new Error(`${path} ${fault}`)
    if (handle && (await isSame(handle, place.file))) return handle
    await close()
    makeDirectory(dirname(place.file))
    handle = await open(place.file, APPEND, 0o640)
    return handle
  }

  async function close(): Promise<void> {
    const old = handle
    handle = null
    await old?.close()
  }
}

async function isSame(handle: FileHandle, file: string): Promise<boolean> {
  try {
    const [there, ours] = await Promise.all([stat(file), handle.stat()])
    return there.ino === ours.ino && there.dev === ours.dev
  } catch {
    return false
  }
}
