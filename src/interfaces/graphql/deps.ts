import type { FastifyRequest } from 'fastify'
import type { Content } from '#content'
import type { DocumentSettings } from './query/document.ts'

/** What the dialect needs of the content store. */
type GraphqlContent = Pick<
  Content,
  | ('model' | 'onModelChange' | 'entryTemplates' | 'readEntries' | 'find' | 'findOne')
  | ('fileTemplates' | 'readFiles' | 'entries' | 'media')
>

interface GraphqlSettings extends DocumentSettings {
  /** Fields that are not answered by then have no value. */
  readonly timeoutMs: number
}

export interface GraphqlDeps {
  readonly content: GraphqlContent
  /** Limits and whether schemas are shown; they can change while the server runs. */
  settings(): GraphqlSettings
  /** Counts what is sent in without a key, by address; throws when it is too much. */
  admitForm(request: FastifyRequest): Promise<void>
  /** The page for trying queries is then shown to everybody. */
  readonly isDevelopment: boolean
  /** Told of every failure of ours inside a field, which the answer does not describe. */
  report(error: unknown, request: FastifyRequest): void
}
