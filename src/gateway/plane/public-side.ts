import type { Context } from './context.ts'
import { headersOf } from './server/headers-of.ts'

/** A trusted proxy took the request from the client: ports of this gateway may be nothing that the client can reach. */
export function isBehindProxy({ isTrusted, request }: Context): boolean {
  const told = isTrusted ? headersOf(request) : {}
  return told['x-forwarded-host'] !== undefined || told['x-forwarded-proto'] !== undefined
}

/** Scheme and host under which the client sees us: of its connection, or as a trusted proxy says. */
export function publicSideOf({ isTrusted, isTls, sentHost, request }: Context) {
  const told = isTrusted ? headersOf(request) : {}
  const scheme = told['x-forwarded-proto']?.split(',', 1)[0]?.trim().toLowerCase()
  const host = told['x-forwarded-host']?.split(',', 1)[0]?.trim()
  const isHttps = scheme === undefined ? isTls : scheme === 'https'
  return { scheme: isHttps ? 'https' : 'http', host: host || sentHost } as const
}
