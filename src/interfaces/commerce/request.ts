import type { FastifyReply, FastifyRequest } from 'fastify'
import { findStore, type Store } from '#commerce'
import { type Viewer, viewerOf } from '#content'
import type { ContentModel } from '#content-model'
import { parseMediaRanges } from '#http-text'
import { hasAccess } from '#kernel'
import type { CommerceDialectDeps } from './deps.ts'
import { noSuchRoute, notAcceptable } from './errors.ts'

/** Contract §1; the groups are the store code and what is asynchronous. */
const BELOW_REST =
  /^(?:\/index\.php)?\/rest(?:\/(?!async\/|[vV]1(?:[/?]|$))([^/?]+))?(\/async(?:\/bulk)?)?\/[vV]1(?=[/?]|$)/
const AT_ROOT = /^(\/async(?:\/bulk)?)?\/V1(?=[/?]|$)/
const JSON_RANGES = new Set(['*/*', 'application/*', 'application/json'])

/** All forms of a path are one to the router, to plans and to usage: `/rest/V1/…`, `/rest/async/V1/…`. */
export function routeByStore(url: string): string {
  // Every request passes here.
  const isCandidate = url.startsWith('/rest') || url.startsWith('/V1') || isRarer(url)
  if (!isCandidate) return url
  const below = BELOW_REST.exec(url)
  if (below) return `/rest${below[2] ?? ''}/V1${url.slice(below[0].length)}`
  const root = AT_ROOT.exec(url)
  return root ? `/rest${root[1] ?? ''}/V1${url.slice(root[0].length)}` : url
}

function isRarer(url: string): boolean {
  return url.startsWith('/async') || url.startsWith('/index.php/rest')
}

/** One request. The model is taken once, so that it cannot change on the way. */
export interface Context {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly model: ContentModel
  readonly store: Store
  readonly viewer: Viewer
}

/** Refuses unknown stores, and whoever cannot read what is answered. */
export function contextOf(
  { content, settings }: CommerceDialectDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Context {
  const model = content.model()
  const store = findStore(model, storeCodeOf(request))
  if (!settings.enabled || !store) throw noSuchRoute()
  if (!acceptsJson(request.headers.accept)) throw notAcceptable()
  return { request, reply, model, store, viewer: viewerOf(request) }
}

/** As it was sent; the router has seen the URL without it. */
export function storeCodeOf({ originalUrl }: FastifyRequest): string {
  return BELOW_REST.exec(originalUrl)?.[1] ?? 'default'
}

/** Who may change products sees unpublished ones (contract §4.1). */
export function seesDrafts({ request }: Pick<Context, 'request'>): boolean {
  return request.actor !== null && hasAccess(request.actor, 'write')
}

/** A text of the path, decoded once by the router. */
export function parameterOf({ params }: FastifyRequest, name: string): string {
  const given: unknown = Object(params)[name]
  return typeof given === 'string' ? given : ''
}

/** The JSON of an answer, which is for whoever asked alone. */
export function sendJson<Body extends string | Buffer>(reply: FastifyReply, body: Body): Body {
  reply.type('application/json; charset=utf-8')
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
  return body
}

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true
  return parseMediaRanges(accept).some(
    ({ type, parameters }) =>
      JSON_RANGES.has(type) && !/^0(\.0*)?$/.test(parameters.get('q') ?? ''),
  )
}
