import type { FastifyRequest } from 'fastify'
import type { Content } from '#content'
import type { ContentType } from '#content-model'
import type { Filter } from '#content-query'
import type { Store } from '#db'
import type { EventReader } from '#events'

/** The content store as this dialect uses it. */
export type RestContent = Pick<
  Content,
  | 'model'
  | 'entryTemplates'
  | 'readEntries'
  | 'find'
  | 'findOne'
  | 'search'
  | 'entries'
  | 'revisions'
>

/** What an entry said before, and what of it has no place any more. */
export type Revision = Awaited<ReturnType<RestContent['revisions']['list']>>[number]
export type Restored = Awaited<ReturnType<RestContent['entries']['restore']>>
export type Misfit = Restored['warnings'][number]

export interface RestDeps {
  readonly content: RestContent
  /** The operator language that the content dialects share. */
  parseFilters(raw: unknown, at: readonly (string | number)[]): Filter | null
  /** `article.created` and its like, for every type that has entries of its own. */
  eventNamesOf(type: Pick<ContentType, 'singularName'>): readonly string[]
  readonly events: Pick<EventReader, 'readEvents' | 'lastSeq' | 'oldestSeq'>
  readonly transaction: Store['transaction']
  /** Two transactions waited for each other; the one that lost may try again. */
  isDeadlock(error: unknown): boolean
  /** The same on all nodes, or a cursor would only work on the one that gave it. */
  readonly cursorKey: Buffer
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
}
