import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRequired } from '#access'
import type { Content, ContentModel, ContentType, Viewer } from '#content'
import { type Actor, queryTextOf, type Tx } from '#kernel'
import type { QueryRules } from './query.ts'
import type { Form } from './render.ts'

export interface CmsDeps {
  readonly content: Content
  /** Steps that populate may take (Doc 3 §8); a setting that can change while the server runs. */
  maxDepth(): number
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** One request for a content type. The model is taken once, so that it cannot change on the way. */
export interface Context {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly model: ContentModel
  readonly type: ContentType
  /** As in the path; '' where there is none. */
  readonly id: string
}

export type Action = (context: Context) => Promise<string>

export function viewerOf({ actor }: FastifyRequest): Viewer {
  return { level: actor?.access ?? null }
}

/** Behind the guard of a route for writers there always is one. */
export function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw keyRequired()
  return actor
}

export function formOf({ headers }: FastifyRequest): Form {
  return String(headers['response-format'] ?? '').toLowerCase() === 'flat' ? 'flat' : 'nested'
}

export function queryOf({ request }: Pick<Context, 'request'>): string {
  return queryTextOf(request)
}

export function rulesOf({ model, type }: Context, { maxDepth }: CmsDeps): QueryRules {
  return { model, type, maxDepth: maxDepth() }
}
