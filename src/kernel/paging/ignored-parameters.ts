import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery, queryTextOf } from '../http/query.ts'
import { badParameter } from './filters.ts'

const MAX_REPORTED = 20
const MAX_REPORTED_LENGTH = 64

/**
 * Typing errors become visible without breaking callers that add parameters of their own (REST
 * conventions §4): named in `X-Ignored-Parameters`, refused when the client asked to be strict.
 */
export function reportUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  given: readonly string[],
  known: readonly string[],
): void {
  const unknown = given.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const names = unknown.slice(0, MAX_REPORTED).map(printable)
  if (/\bhandling\s*=\s*strict\b/i.test(String(request.headers['prefer'] ?? ''))) {
    throw badParameter(names.join(', '), 'is not a parameter here')
  }
  reply.header('x-ignored-parameters', names.join(', '))
}

/**
 * A hook for routes whose schemas name all they understand. A typing error in `dry_run` carries out what was only to
 * be tried: whoever sends it shall hear of it.
 */
export function reportOthers(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const schema: { querystring?: { properties: object } } = Object(request.routeOptions.schema)
  const known = Object.keys(schema.querystring?.properties ?? {})
  reportUnknown(request, reply, Object.keys(parseQuery(queryTextOf(request))), known)
  done()
}

function printable(name: string): string {
  return name.slice(0, MAX_REPORTED_LENGTH).replaceAll(/[^\w.[\]$-]/g, '_')
}
