/** The files of an installation as a whole, in its directory or in its database, for what copies them. */
import type { StoredBytes } from '#content-media'
import type { Database } from '#db'
import type { Clock, Log } from '#kernel'
import type { Files } from '#transfer'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  /** Of uploads. */
  readonly directory: string
}

export function storedFiles(deps: Deps): Files {
  /** Nothing of it goes into the cache: who reads all files uses none of them. */
  const uncached = { ...deps, cacheBytes: 0 }
  return { list, listMissing, listKept, write }

  async function* list() {
    const { readFileBytes } = await import('#content-media')
    yield* toFiles(readFileBytes(uncached))
  }

  async function* listMissing() {
    const { missingBytes } = await import('#content-media')
    yield* missingBytes(deps)
  }

  async function* listKept() {
    const { readKeptBytes } = await import('#content-media')
    yield* toFiles(readKeptBytes(uncached))
  }

  /** Nothing leaves the directory meanwhile: it may be where they come from. */
  async function write(path: string, chunks: AsyncIterable<Uint8Array>) {
    const { isStoredName, writeFileBytes } = await import('#content-media')
    if (isStoredName(path)) {
      return writeFileBytes({ ...deps, cacheBytes: Number.MAX_SAFE_INTEGER }, path, chunks)
    }
    deps.log.warn({ path }, 'a file that nobody can ask for is left out')
    for await (const _ of chunks);
  }
}

async function* toFiles(all: AsyncIterable<StoredBytes>) {
  for await (const { name, sizeBytes, read } of all) yield { path: name, bytes: sizeBytes, read }
}
