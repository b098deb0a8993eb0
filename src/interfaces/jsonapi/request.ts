import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '#content'
import { queryTextOf } from '#http-text'
import type { JsonApiDeps } from './deps.ts'
import { unknownResource } from './errors.ts'
import { readParameters, refuseUnknown, type Sent } from './query/parameters.ts'
import { languageOf } from './request/language.ts'
import { negotiate } from './request/negotiation.ts'
import type { Catalogue } from './target/catalogue.ts'
import type { Found } from './target.ts'

/** One request, read once. */
export interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly catalogue: Catalogue
  readonly viewer: Viewer
  /** As sent, without credentials. */
  readonly query: string
  readonly parameters: readonly Sent[]
  /** The locale that is asked for, by path or header. */
  readonly locale: string
  /** The locale that the path names; writes go by this alone. */
  readonly prefixed: string | undefined
  readonly origin: string
  /** `https://host/jsonapi`, with the language of the path. */
  readonly base: string
}

export function readRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { catalogue }: Pick<Found, 'catalogue'>,
  deps: Pick<JsonApiDeps, 'origin'>,
): Asked {
  const origin = deps.origin(request)
  const { code, prefix } = languageOf(catalogue.model, request)
  reply.header('content-type', negotiate(request, `${origin}/jsonapi`))
  if (code === undefined) throw unknownResource('There is no such language')
  return {
    request,
    reply,
    catalogue,
    viewer: { level: request.actor?.access ?? null },
    ...readQuery(queryTextOf(request)),
    locale: code,
    prefixed: prefix === '' ? undefined : code,
    origin,
    base: `${origin}${prefix}/jsonapi`,
  }
}

function readQuery(query: string): Pick<Asked, 'query' | 'parameters'> {
  const parameters = readParameters(query)
  refuseUnknown(parameters)
  return { query, parameters }
}

/** Behind the guard of a write there always is one. */
/** The URL of the request as the client wrote it, without credentials. */
export function selfOf({ request, origin, query }: Asked): string {
  const [path = ''] = request.originalUrl.split('?', 1)
  return `${origin}${path}${query === '' ? '' : `?${query}`}`
}
