import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '#http'
import { addVary, parseMediaRanges } from '#http-text'
import { DomainError } from '#kernel'
import type { Version } from '../query/parse.ts'

const VERSIONS = [1, 2] as const satisfies readonly Version[]

const VERSIONED = /^\/api\/v\d+(?=[/?]|$)/
const VENDOR = /^application\/vnd\.app(?:\.v(\d{1,9}))?\+json$/i
/** What the header never moves (CMS REST contract §1): uploads, languages, types, stock. */
const FIXED =
  /^\/api\/(?:upload|i18n|content-type-builder)(?=[/?]|$)|^\/api\/products\/(?:[^/?]+\/stock|stock\/update)\/?(?=\?|$)/

/**
 * Routes `/api/articles` with `Accept: application/vnd.app.v2+json` as if the path had the version,
 * so that plans, limits and usage see one call and not two.
 */
export function routeByAccept(url: string, { accept }: IncomingHttpHeaders): string {
  if (accept === undefined || !url.startsWith('/api/')) return url
  if (!/vnd\.app/i.test(accept) || VERSIONED.test(url) || FIXED.test(url)) return url
  const version = acceptedVersion(accept)
  return version === undefined ? url : `/api/v${version}${url.slice('/api'.length)}`
}

/** The version of the entry with the highest weight; the first of equals. */
export function acceptedVersion(accept: string): number | undefined {
  let best: { version: number; weight: number } | undefined
  for (const { type, parameters } of parseMediaRanges(accept)) {
    const found = VENDOR.exec(type)
    const weight = found ? weightOf(parameters.get('q')) : 0
    if (found && weight > (best?.weight ?? 0)) best = { version: Number(found[1] ?? 1), weight }
  }
  return best?.version
}

function weightOf(given = '1'): number {
  const weight = Number(given)
  return Number.isFinite(weight) ? Math.min(Math.max(weight, 0), 1) : 0
}

/** The path had no version: the header chose it. */
function isChosenByHeader({ originalUrl }: FastifyRequest): boolean {
  return !VERSIONED.test(originalUrl)
}

function mediaTypeOf(version: Version): string {
  return `application/vnd.app.v${version}+json; charset=utf-8`
}

/** When a version was, or will be, given up; both may be unset. */
export interface VersionEnd {
  readonly deprecatedAtMs?: number | undefined
  readonly sunsetAtMs?: number | undefined
}

/** What every answer of a version says of it (contract §7), refusals and unknown paths too. */
export function createVersion(version: Version, { deprecatedAtMs, sunsetAtMs }: VersionEnd) {
  return { onRequest, finish }

  function onRequest(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('api-version', version)
    if (isChosenByHeader(request)) addVary(reply, 'Accept')
    // RFC 9745 and RFC 8594.
    if (deprecatedAtMs !== undefined) reply.header('deprecation', `@${deprecatedAtMs / 1000}`)
    if (sunsetAtMs !== undefined) reply.header('sunset', new Date(sunsetAtMs).toUTCString())
  }

  /** Needs to come before the body is compressed. */
  function finish(app: HttpApp): void {
    app.addHook('onSend', (request, reply, payload, done) => {
      if (isChosenByHeader(request) && isJson(reply)) reply.type(mediaTypeOf(version))
      if (deprecatedAtMs !== undefined) addSuccessor(request, reply)
      done(null, payload)
    })
  }
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('application/json')
}

/** Only content, media and changes have a successor; its URL is ours without the query. */
function addSuccessor(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?', 1)
  const isContent = Boolean(request.resource) || /^\/api\/v1\/(media|changes)(\/|$)/.test(path)
  if (!isContent || !path.startsWith('/api/v1/')) return
  const successor = `<${path.replace('/api/v1/', '/api/v2/')}>; rel="successor-version"`
  const others = reply.getHeader('link')
  // A replayed answer has it already.
  if (String(others ?? '').includes(successor)) return
  reply.header('link', others === undefined ? successor : `${others}, ${successor}`)
}

/** Answers for versions that do not exist: 404 by path, 406 by header (contract §7). */
export function unknownVersions(app: HttpApp): void {
  const served = VERSIONS.map((version) => `${version}$`).join('|')
  for (const rest of ['', '/*']) {
    app.all(`/:version(^v(?!${served})\\d+$)${rest}`, { config: { access: admit } }, refuse)
  }

  /** For usage there is no such route. */
  function admit(request: FastifyRequest) {
    request.usageEndpoint = '(unmatched)'
    return 'any' as const
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const byHeader = isChosenByHeader(request)
    if (byHeader) addVary(reply, 'Accept')
    const message = `This version is not served; there are versions ${VERSIONS.join(' and ')}`
    const kind = byHeader ? 'not_acceptable' : 'not_found'
    throw new DomainError(kind, 'unsupported_version', message)
  }
}
