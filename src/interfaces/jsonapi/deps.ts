import type { FastifyRequest } from 'fastify'
import type { Content } from '#content'
import type { Store } from '#db'

/** The content store as this dialect uses it. */
export type JsonApiContent = Pick<
  Content,
  | ('model' | 'entryTemplates' | 'readEntries' | 'findOne' | 'findPath')
  | ('fileTemplates' | 'readFiles' | 'entries' | 'revisions' | 'media')
>

/** An account as others may know it; the address is shown to its owner and to administrators. */
export interface KnownUser {
  readonly id: number
  readonly uuid: string
  readonly name: string | null
  readonly email: string
}

/** The accounts there are; deleted ones are found by none of these. */
export interface KnownUsers {
  byIds(ids: readonly number[]): Promise<readonly KnownUser[]>
  byUuid(uuid: string): Promise<KnownUser | undefined>
  all(): Promise<readonly KnownUser[]>
  /** Called when any of them may have changed. */
  onChange(listener: () => void): void
}

export interface JsonApiDeps {
  readonly content: JsonApiContent
  readonly users: KnownUsers
  /** The settings in force now (contract §5). */
  settings(): { readonly publicRead: boolean; readonly readOnly: boolean }
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
  readonly transaction: Store['transaction']
}
