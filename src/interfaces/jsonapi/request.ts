import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Viewer, viewerOf } from '#content'
import type { ContentModel } from '#content-model'
import type { LocaleChoice } from '#content-query'
import { addVary, parseMediaRanges, queryTextOf } from '#http-text'
import { DomainError } from '#kernel'
import type { JsonApiDeps } from './deps.ts'
import { issueAt, MEDIA_TYPE, refusalAt, unknownResource } from './errors.ts'
import { refuseIdle } from './query/effective.ts'
import { readParameters, refuseUnknown, type Sent } from './query/parameters.ts'
import type { Catalogue } from './target/catalogue.ts'
import type { Found } from './target.ts'

/** One request, read once. */
export interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly catalogue: Catalogue
  readonly viewer: Viewer
  /** As sent, without credentials, in characters that a URI may have. */
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
  { catalogue, target }: Found,
  deps: Pick<JsonApiDeps, 'origin'>,
): Asked {
  const origin = deps.origin(request)
  const { code, prefix } = languageOf(catalogue.model, request)
  reply.header('content-type', negotiate(request, `${origin}/jsonapi`))
  if (code === undefined) throw unknownResource('There is no such language')
  const query = toUri(queryTextOf(request))
  const parameters = readParameters(query)
  refuseUnknown(parameters)
  if (target) refuseIdle(request.method, target, parameters)
  return {
    request,
    reply,
    catalogue,
    viewer: viewerOf(request),
    query,
    parameters,
    locale: code,
    prefixed: prefix === '' ? undefined : code,
    origin,
    base: `${origin}${prefix}/jsonapi`,
  }
}

/** The URL of the request as the client wrote it, without credentials; links have the slash form (contract §1). */
export function selfOf({ request, origin, query }: Asked): string {
  const [path = ''] = request.originalUrl.split('?', 1)
  const slashed = toUri(path).replace(ALIAS, '$1/')
  return `${origin}${slashed}${query === '' ? '' : `?${query}`}`
}

/** `/jsonapi/node--article`, with or without a language before it. */
const ALIAS = /^((?:\/[^/]+)?\/jsonapi\/[^/]+?)--(?=[^/])/

/** What RFC 3986 has no place for in a path or a query: brackets above all, and bytes beyond ASCII. */
const NOT_IN_URI = /[^\w\-.~!$&'()*+,;=:@/?%]/g

/** Links are URIs (Spec), however the client wrote the request; Node shows its bytes as characters. */
function toUri(text: string): string {
  return text.replaceAll(
    NOT_IN_URI,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** A language tag as the first step of a path; below `/api` a collection may be called `jsonapi`. */
const PREFIXED =
  /^\/(?!api\/)([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2})(?=\/(?:jsonapi|subrequests)(?:[/?]|$))/i

/** `/da/jsonapi/…` is the same API in that language: the router sees it without the language. Subrequests name their own. */
export function routeByLanguage(url: string): string {
  const [prefix] = PREFIXED.exec(url) ?? []
  return prefix === undefined ? url : url.slice(prefix.length)
}

interface Language {
  /** The locale that is asked for; undefined when the path names one that is not configured. */
  readonly code: string | undefined
  /** `/da` or ''; links repeat it. */
  readonly prefix: string
}

/** Contract §8: the path decides, then `Accept-Language` with one plain tag, then the default. */
function languageOf(model: ContentModel, request: FastifyRequest): Language {
  const [prefix = '', tag] = PREFIXED.exec(request.originalUrl) ?? []
  if (tag !== undefined) return { code: model.findLocale(tag)?.code, prefix }
  const wished = request.headers['accept-language']
  const known = wished === undefined ? undefined : model.findLocale(wished.trim())
  return { code: known?.code ?? model.defaultLocale, prefix }
}

/** Documents that are not translated are shown in the default locale, else in the first they have. */
export function localeChoice(
  model: ContentModel,
  code: string,
): Extract<LocaleChoice, { kind: 'one' }> {
  const others = model.locales.map((locale) => locale.code)
  const fallback = [model.defaultLocale, ...others].filter((each) => each !== code)
  return { kind: 'one', code, fallback: [...new Set(fallback)] }
}

const VARY = 'Accept, Accept-Language, Authorization, X-API-Key, X-API-Version'
const VERSION = '1'

/** Before the guard: what every answer of the mount says, refusals too (contract §2). */
export function onRequest(_request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-api-version', VERSION)
  addVary(reply, VARY)
}

/** The content type of the answer; throws when the client accepts none that there is. */
function negotiate({ headers }: FastifyRequest, base: string): string {
  checkVersion(headers['x-api-version'])
  const named = parseMediaRanges(headers.accept ?? '').filter(({ type }) => type === MEDIA_TYPE)
  const fitting = named.filter(({ parameters }) => isPlain(parameters))
  if (named.length > 0 && fitting.length === 0) {
    const message = `${MEDIA_TYPE} is served without parameters other than profile`
    throw refusalAt('not_acceptable', 'not_acceptable', { header: 'Accept' }, message)
  }
  const profile = `${base}/profiles/v${VERSION}`
  const isProfiled = fitting.some(({ parameters }) =>
    (parameters.get('profile') ?? '').split(/\s+/).includes(profile),
  )
  return isProfiled ? `${MEDIA_TYPE};profile="${profile}"` : MEDIA_TYPE
}

function checkVersion(given: string | string[] | undefined): void {
  if (given === undefined || given === VERSION) return
  const message = `The version served is ${VERSION}`
  throw new DomainError('not_acceptable', 'unsupported_version', message, {
    issues: [issueAt({ header: 'X-API-Version' }, 'unsupported_version', message)],
    facts: { supported: [VERSION] },
  })
}

/** No extension is offered; `q` belongs to the header and not to the type. */
function isPlain(parameters: ReadonlyMap<string, string>): boolean {
  return [...parameters.keys()].every((name) => name === 'profile' || name === 'q')
}

/** Throws 415 unless the body is said to be a JSON:API document. */
export function requireDocumentType({ headers }: FastifyRequest): void {
  const [range] = parseMediaRanges(headers['content-type'] ?? '')
  const isFit =
    range?.type === MEDIA_TYPE && [...range.parameters.keys()].every((name) => name === 'profile')
  if (isFit) return
  const message = `The body must be sent as ${MEDIA_TYPE}, without parameters other than profile`
  throw refusalAt(
    'unsupported_media',
    'unsupported_media_type',
    { header: 'Content-Type' },
    message,
  )
}
