import { createReadStream, existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

interface StoredFile {
  /** Below `/uploads`, with slashes. */
  readonly path: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
}

/** The files of an installation, wherever it keeps them. */
export interface Files {
  /** All that this machine can read, also what is still on its way to where files are kept. */
  list(): AsyncIterable<StoredFile>
  /** Of those that the database knows and this machine cannot read. */
  listMissing(): AsyncIterable<string>
  /** Only what is where files are kept. */
  listKept(): AsyncIterable<StoredFile>
  /** Whole or not at all. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
}

/** How many files cannot be copied, and one of them for people to look for. */
export interface Missing {
  readonly count: number
  readonly example: string | null
}

export async function countMissing(files: Pick<Files, 'listMissing'>): Promise<Missing> {
  let count = 0
  let example: string | null = null
  for await (const path of files.listMissing()) {
    count++
    example ??= path
  }
  return { count, example }
}

/** Those of a directory, as `backup` copies it. */
export function filesIn(directory: string): Pick<Files, 'list'> {
  return { list }

  async function* list() {
    if (!existsSync(directory)) return
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    for (const path of paths.sort()) {
      const file = join(directory, path)
      // A file that is removed meanwhile belongs to nothing any more.
      const found = await stat(file).catch(() => null)
      if (!found) continue
      const read = () => createReadStream(file)
      yield { path: path.split(sep).join('/'), bytes: found.size, read }
    }
  }
}
