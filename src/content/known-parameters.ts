import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery, queryTextOf } from '#http-text'
import { reportUnknown } from '#paging'

/**
 * Parameters that the schema of a route does not name are reported (REST conventions §4): a typing error in
 * `dry_run` carries out what was only to be tried.
 */
export function reportOthers(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const schema: { querystring?: { properties: object } } = Object(request.routeOptions.schema)
  const known = Object.keys(schema.querystring?.properties ?? {})
  reportUnknown(request, reply, Object.keys(parseQuery(queryTextOf(request))), known)
  done()
}
