import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery, queryTextOf } from '#http-text'
import { reportUnknown } from '#paging'
import { parseInstant } from './instant.ts'

type Done = (error?: Error) => void

// What the routes of usage have in common.

/** Parameters that a route does not know are ignored and reported. */
export function onlyKnown({ properties }: { readonly properties: object }) {
  const known = Object.keys(properties)
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    reportUnknown(request, reply, Object.keys(parseQuery(queryTextOf(request))), known)
    done()
  }
}

/** The guard lets nobody through to these routes without a credential. */
export function live<Reply extends FastifyReply>(reply: Reply): Reply {
  reply.header('cache-control', 'private, no-cache')
  return reply
}

export function rangeOf({ from, to }: { from?: string; to?: string }) {
  return {
    fromMs: from === undefined ? undefined : parseInstant('from', from),
    toMs: to === undefined ? undefined : parseInstant('to', to),
  }
}
