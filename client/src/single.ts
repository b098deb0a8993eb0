import { readOf, type Written } from './collection.ts'
import type { EntryTags } from './entry-tags.ts'
import type {
  Content,
  Included,
  IncludePath,
  InputOf,
  NewOf,
  ReadOptions,
  RecordOf,
} from './model.ts'
import type { Send } from './request.ts'

/** The one entry of a single type under `/api/v1`. */
export function createSingle<C extends Content<C>, T extends keyof C & string>(
  type: T,
  { send, tags }: { readonly send: Send; readonly tags: EntryTags },
) {
  const path = `/api/v1/${encodeURIComponent(type)}`
  return {
    get,
    update,
    replace,
    delete: remove,
    publish: (options?: Written) => act('publish', options),
    unpublish: (options?: Written) => act('unpublish', options),
    discardDraft: (options?: Written) => act('discard-draft', options),
  }

  async function get<
    const P extends IncludePath<C, T> = never,
    const F extends keyof RecordOf<C, T> = never,
  >(options: ReadOptions<P, F> = {}): Promise<Included<C, T, P, F>> {
    return tags.read(await send('GET', path, readOf(options)))
  }

  /** Changes the members that are given. */
  async function update(data: InputOf<C, T>, options: Written = {}): Promise<RecordOf<C, T>> {
    return tags.read(await send('PATCH', path, { body: { data }, ...tags.writing(options) }))
  }

  /** The first time it makes the entry; members that are not given lose their values. */
  async function replace(data: NewOf<C, T>, options: Written = {}): Promise<RecordOf<C, T>> {
    return tags.read(await send('PUT', path, { body: { data }, ...tags.writing(options) }))
  }

  async function remove(options: Written = {}): Promise<void> {
    await send('DELETE', path, tags.writing(options))
  }

  async function act(action: string, options: Written = {}): Promise<RecordOf<C, T>> {
    return tags.read(await send('POST', `${path}/${action}`, tags.writing(options)))
  }
}

export type Single<C extends Content<C>, T extends keyof C & string> = ReturnType<
  typeof createSingle<C, T>
>
