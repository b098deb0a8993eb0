import { queryOptions } from '@tanstack/react-query'
import { type Answer, api, ask, type Query, send } from './client.ts'
import { queryClient } from './query-client.ts'

/** How an attribute is defined; which options there are depends on its kind. */
export interface Attribute {
  readonly type: string
  readonly required?: boolean
  readonly unique?: boolean
  readonly private?: boolean
  readonly searchable?: boolean
  readonly localized?: boolean
  readonly unversioned?: boolean
  readonly renamedFrom?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly min?: number
  readonly max?: number
  readonly scale?: number
  readonly regex?: string
  readonly targetField?: string
  readonly relation?: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany'
  readonly target?: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  readonly multiple?: boolean
  readonly allowedTypes?: readonly string[]
  readonly component?: string
  readonly components?: readonly string[]
  readonly repeatable?: boolean
}

export type Attributes = Readonly<Record<string, Attribute>>

export interface ContentType {
  readonly uid: string
  readonly kind: string
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly description: string
  /** Under these names JSON:API has it. */
  readonly entityType: string
  readonly bundle: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly publicRead: boolean
  readonly displayField: string | null
  readonly attributes: Attributes
  readonly changing?: readonly string[]
}

export interface ComponentType {
  readonly uid: string
  readonly category: string
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly attributes: Attributes
}

/** An entry as `/api/v1` shows it: system members in snake_case, attributes under their own names. */
export interface Entry {
  readonly id: number
  readonly document_id: string
  readonly status?: 'published' | 'draft' | 'changed'
  readonly locale?: string
  readonly created_at: string
  readonly updated_at: string
  readonly published_at?: string | null
  readonly publish_at?: string
  readonly unpublish_at?: string
  readonly schedule_error?: string
  readonly [attribute: string]: unknown
}

export interface EntryPage {
  readonly data: readonly Entry[]
  readonly meta: { readonly next_cursor: string | null; readonly prev_cursor: string | null }
}

/** All definitions and languages in one answer; changes of the model make it stale. */
const modelQuery = queryOptions({
  queryKey: ['content-model'],
  queryFn: async () => (await ask(api.GET('/api/v1/content-model'))).data,
  staleTime: 30_000,
})

export const typesQuery = queryOptions({
  ...modelQuery,
  select: ({ contentTypes }) => contentTypes as unknown as readonly ContentType[],
})

export const componentsQuery = queryOptions({
  ...modelQuery,
  select: ({ components }) => components as unknown as readonly ComponentType[],
})

export const localesQuery = queryOptions({ ...modelQuery, select: ({ locales }) => locales })

/** For code that is no part of a screen. */
export async function loadTypes(): Promise<readonly ContentType[]> {
  const { contentTypes } = await queryClient.ensureQueryData(modelQuery)
  return contentTypes as unknown as readonly ContentType[]
}

/** Where the entries of a type are. */
export function pathOf(type: ContentType): string {
  return `/api/v1/${type.kind === 'singleType' ? type.singularName : type.pluralName}`
}

export function entryPath(type: ContentType, id: string | number): string {
  return type.kind === 'singleType' ? pathOf(type) : `${pathOf(type)}/${encodeURIComponent(id)}`
}

/** One page of a list; never more than a hundred rows. */
export async function listEntries(
  type: ContentType,
  query: URLSearchParams,
  signal?: AbortSignal,
): Promise<EntryPage> {
  const { body } = await send<EntryPage>(pathOf(type), { query, signal })
  return body
}

export interface LoadedEntry {
  readonly entry: Entry
  /** To be sent back with a change, so that nobody's work is overwritten unseen. */
  readonly etag: string | null
}

export async function loadEntry(path: string, query: Query): Promise<LoadedEntry> {
  const answer = await send<{ data: Entry }>(path, { query })
  return toLoaded(answer)
}

export async function saveEntry(
  path: string,
  method: 'POST' | 'PATCH',
  body: unknown,
  { query, etag }: { query: Query; etag?: string | null },
): Promise<LoadedEntry> {
  const headers = etag ? { 'if-match': etag } : {}
  return toLoaded(await send<{ data: Entry }>(path, { method, body, query, headers }))
}

function toLoaded({ body, headers }: Answer<{ data: Entry }>): LoadedEntry {
  return { entry: body.data, etag: headers.get('etag') }
}

/** What people call an entry. */
export function titleOf(type: ContentType | undefined, entry: Entry): string {
  const shown = type?.displayField ? entry[type.displayField] : undefined
  return shown === undefined || shown === null || shown === '' ? `#${entry.id}` : String(shown)
}
