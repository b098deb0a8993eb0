import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Content, ContentModel, ContentType, Viewer } from '#content'
import type { Store } from '#db'
import type { QueryRules } from './query.ts'
import type { Form } from './render.ts'

/** What the dialect needs of the content store. */
type CmsContent = Pick<
  Content,
  | ('model' | 'entryTemplates' | 'readEntries' | 'find' | 'findOne')
  | ('fileTemplates' | 'readFiles' | 'entries' | 'media')
>

export interface CmsDeps {
  readonly content: CmsContent
  /** Steps that populate may take (Doc 3 §8); a setting that can change while the server runs. */
  maxDepth(): number
  readonly transaction: Store['transaction']
}

/** One request for a content type. The model is taken once, so that it cannot change on the way. */
export interface Context {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly model: ContentModel
  readonly type: ContentType
  /** As in the path; '' where there is none. */
  readonly id: string
  /** As sent, without credentials. */
  readonly query: string
}

export type Action = (context: Context) => Promise<string | Buffer>

/** What a read depends on, whoever sent it and however it is answered. */
export interface Asked extends Pick<Context, 'model' | 'type' | 'id' | 'query'> {
  readonly viewer: Viewer
  readonly form: Form
}

export function askedBy({ request, model, type, id, query }: Context): Asked {
  return { model, type, id, query, viewer: viewerOf(request), form: formOf(request) }
}

export function viewerOf({ actor }: FastifyRequest): Viewer {
  return { level: actor?.access ?? null }
}

export function formOf({ headers }: FastifyRequest): Form {
  return String(headers['response-format'] ?? '').toLowerCase() === 'flat' ? 'flat' : 'nested'
}

export function rulesOf(
  { model, type }: Pick<Context, 'model' | 'type'>,
  { maxDepth }: CmsDeps,
): QueryRules {
  return { model, type, maxDepth: maxDepth() }
}
