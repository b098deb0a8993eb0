import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import type { CmsDeps } from './deps.ts'
import type { QueryRules } from './query/parse.ts'
import type { Form } from './render/entry.ts'

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
