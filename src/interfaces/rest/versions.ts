import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { DomainError, type HttpPlugin } from '#kernel'
import type { Version } from './query.ts'

export const VERSIONS = [1, 2] as const satisfies readonly Version[]

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
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const found = VENDOR.exec(type)
    const weight = found ? weightOf(parameters) : 0
    if (found && weight > (best?.weight ?? 0)) best = { version: Number(found[1] ?? 1), weight }
  }
  return best?.version
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => /^q=/i.test(parameter))
  if (given === undefined) return 1
  const weight = Number(given.slice(2))
  return Number.isFinite(weight) ? Math.min(Math.max(weight, 0), 1) : 0
}

/** The path had no version: the header chose it. */
export function isChosenByHeader({ originalUrl }: FastifyRequest): boolean {
  return !VERSIONED.test(originalUrl)
}

export function mediaTypeOf(version: Version): string {
  return `application/vnd.app.v${version}+json; charset=utf-8`
}

/** Answers for versions that do not exist: 404 by path, 406 by header (contract §7). */
export function unknownVersions(): HttpPlugin {
  const served = VERSIONS.map((version) => `${version}$`).join('|')
  return (app) => {
    for (const rest of ['', '/*']) {
      app.all(`/:version(^v(?!${served})\\d+$)${rest}`, { config: { access: 'any' } }, refuse)
    }
  }

  async function refuse(request: FastifyRequest): Promise<never> {
    request.usageEndpoint = '(unmatched)'
    const kind = isChosenByHeader(request) ? 'not_acceptable' : 'not_found'
    const list = VERSIONS.join(' and ')
    const message = `This version is not served; there are versions ${list}`
    throw new DomainError(kind, 'unsupported_version', message)
  }
}
