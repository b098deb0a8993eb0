import type { EntryTags } from './entry-tags.ts'
import type {
  Content,
  Included,
  IncludePath,
  InputOf,
  ListOptions,
  NewOf,
  Page,
  PageOptions,
  ReadOptions,
  RecordOf,
} from './model.ts'
import { toQuery } from './query.ts'
import { randomKey } from './random-key.ts'
import { parseJson, type Send } from './request.ts'

/** The number or the document id. */
export type Id = number | string

export interface Written {
  /** Refused with 412 when the entry has been changed since this record of it was read. */
  readonly since?: object
  /** `draft` changes the working copy of an entry and leaves what is live, `published` publishes a draft. */
  readonly status?: 'published' | 'draft'
  readonly locale?: string
  readonly signal?: AbortSignal
}

export type BulkOperation<C extends Content<C>, T extends keyof C> =
  | { readonly op: 'create'; readonly data: NewOf<C, T> }
  | { readonly op: 'upsert'; readonly key?: string; readonly data: InputOf<C, T> }
  | { readonly op: 'update'; readonly id: Id; readonly data: InputOf<C, T> }
  | { readonly op: 'delete'; readonly id: Id }

export interface BulkOutcome {
  readonly data: readonly {
    readonly index: number
    readonly status: number
    readonly id?: number
    readonly unchanged?: boolean
    readonly error?: { readonly code: string; readonly message: string }
  }[]
  readonly meta: Readonly<Record<'created' | 'updated' | 'deleted' | 'failed', number>>
}

const MOST_PER_PAGE = 100

/** The entries of one collection type under `/api/v1`. */
export function createCollection<C extends Content<C>, T extends keyof C & string>(
  type: T,
  { send, tags }: { readonly send: Send; readonly tags: EntryTags },
) {
  const base = `/api/v1/${encodeURIComponent(type)}`
  return {
    list,
    all,
    get,
    create,
    update,
    replace,
    delete: remove,
    publish: (id: Id, options?: Written) => act(id, 'publish', options),
    unpublish: (id: Id, options?: Written) => act(id, 'unpublish', options),
    discardDraft: (id: Id, options?: Written) => act(id, 'discard-draft', options),
    bulk,
  }

  /** One page by number, with the total. */
  async function list<
    const P extends IncludePath<C, T> = never,
    const F extends keyof RecordOf<C, T> = never,
  >(options: PageOptions<C, T, P, F> = {}): Promise<Page<Included<C, T, P, F>>> {
    return parseJson(await send('GET', base, readOf(options)))
  }

  /** Every entry, page after page by cursor: none is left out or repeated while others write. */
  async function* all<
    const P extends IncludePath<C, T> = never,
    const F extends keyof RecordOf<C, T> = never,
  >(options: ListOptions<C, T, P, F> = {}): AsyncGenerator<Included<C, T, P, F>, void, undefined> {
    const { query, ...rest } = readOf({ per_page: MOST_PER_PAGE, ...options })
    let cursor: string | null = ''
    while (cursor !== null) {
      query.set('cursor', cursor)
      const page: CursorPage<Included<C, T, P, F>> = await parseJson(
        await send('GET', base, { query, ...rest }),
      )
      yield* page.data
      cursor = page.meta.next_cursor
    }
  }

  async function get<
    const P extends IncludePath<C, T> = never,
    const F extends keyof RecordOf<C, T> = never,
  >(id: Id, options: ReadOptions<P, F> = {}): Promise<Included<C, T, P, F>> {
    return tags.read(await send('GET', at(id), readOf(options)))
  }

  /** Sent again after a 503 it makes no second entry: each call has an idempotency key of its own. */
  async function create(
    data: NewOf<C, T>,
    {
      idempotencyKey = randomKey(),
      signal,
    }: { idempotencyKey?: string; signal?: AbortSignal } = {},
  ): Promise<RecordOf<C, T>> {
    const headers = { 'idempotency-key': idempotencyKey }
    return tags.read(await send('POST', base, { body: { data }, headers, ...signalOf(signal) }))
  }

  /** Changes the members that are given. */
  async function update(
    id: Id,
    data: InputOf<C, T>,
    options: Written = {},
  ): Promise<RecordOf<C, T>> {
    return tags.read(await send('PATCH', at(id), { body: { data }, ...tags.writing(options) }))
  }

  /** Members that are not given lose their values. */
  async function replace(
    id: Id,
    data: NewOf<C, T>,
    options: Written = {},
  ): Promise<RecordOf<C, T>> {
    return tags.read(await send('PUT', at(id), { body: { data }, ...tags.writing(options) }))
  }

  async function remove(id: Id, options: Written = {}): Promise<void> {
    await send('DELETE', at(id), tags.writing(options))
  }

  async function act(id: Id, action: string, options: Written = {}): Promise<RecordOf<C, T>> {
    return tags.read(await send('POST', `${at(id)}/${action}`, tags.writing(options)))
  }

  /** Up to 500 operations; with `atomic` all or, refused with 422, none. */
  async function bulk(
    operations: readonly BulkOperation<C, T>[],
    { atomic = false, signal }: { atomic?: boolean; signal?: AbortSignal } = {},
  ): Promise<BulkOutcome> {
    const headers = { 'idempotency-key': randomKey() }
    const body = { atomic, operations }
    return parseJson(await send('POST', `${base}/bulk`, { body, headers, ...signalOf(signal) }))
  }

  function at(id: Id): string {
    return `${base}/${encodeURIComponent(id)}`
  }
}

export type Collection<C extends Content<C>, T extends keyof C & string> = ReturnType<
  typeof createCollection<C, T>
>

interface CursorPage<Item> {
  readonly data: readonly Item[]
  readonly meta: { readonly next_cursor: string | null }
}

export function readOf(options: object & { readonly signal?: AbortSignal }) {
  return { query: toQuery({ ...options }), ...signalOf(options.signal) }
}

function signalOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}
