import type { Written } from './collection.ts'
import { toQuery } from './query.ts'
import { parseJson, type RequestOptions } from './request.ts'

/** Remembers the ETag of each record as long as somebody has it, so that a change can say what it is based on. */
export function createEntryTags() {
  const tags = new WeakMap<object, string>()
  return { read, writing }

  /** The record of an answer `{ data: record }`. */
  async function read<R>(response: Response): Promise<R> {
    const { data }: { data: R } = await parseJson(response)
    const tag = response.headers.get('etag')
    if (tag && typeof data === 'object' && data !== null) tags.set(data, tag)
    return data
  }

  /** What goes along with a change. */
  function writing({ since, signal, ...query }: Written): RequestOptions {
    const tag = since && tags.get(since)
    if (since && !tag) {
      throw new TypeError('"since" must be a record that get, create or update resolved with')
    }
    return {
      query: toQuery(query),
      ...(tag ? { headers: { 'if-match': tag } } : {}),
      ...(signal ? { signal } : {}),
    }
  }
}

export type EntryTags = ReturnType<typeof createEntryTags>
