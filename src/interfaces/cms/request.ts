import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type Viewer, viewerOf } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import { type HttpApp, refuseMethods } from '#http'
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

export function formOf({ headers }: FastifyRequest): Form {
  return String(headers['response-format'] ?? '').toLowerCase() === 'flat' ? 'flat' : 'nested'
}

export function rulesOf(
  { model, type }: Pick<Context, 'model' | 'type'>,
  { maxDepth }: CmsDeps,
): QueryRules {
  return { model, type, maxDepth: maxDepth() }
}

export const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The JSON of an answer; who reads with a key may see more, so that is not for shared caches. */
export function sendJson<Body extends string | Buffer>(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
): Body {
  reply.type('application/json; charset=utf-8')
  if (methodOf(request) === 'GET') {
    const isPublic = request.actor === null
    reply.header(
      'cache-control',
      isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
    )
  }
  return body
}

/** Fixed paths refuse other methods themselves, or they would be taken for names of collections. */
export function refuseOthers(app: HttpApp, url: string, allowed: readonly HTTPMethods[]): void {
  const taken = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  const method = METHODS.filter((each) => !taken.includes(each))
  refuseMethods(app, { method, url, config: { access: 'none' } }, taken.map(String))
}

/** A HEAD asks what a GET would answer. */
export function methodOf({ method }: FastifyRequest): string {
  return method === 'HEAD' ? 'GET' : method
}
