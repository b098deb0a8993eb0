import type { Context } from './context.ts'
import { headersOf } from './server/headers-of.ts'

/** Scheme and host under which the client sees us: of its connection, or as a trusted proxy says. */
export function publicSideOf({ isTrusted, isTls, sentHost, request }: Context) {
  const told = isTrusted ? headersOf(request) : {}
  const scheme = told['x-forwarded-proto']?.split(',', 1)[0]?.trim().toLowerCase()
  const host = told['x-forwarded-host']?.split(',', 1)[0]?.trim()
  const isHttps = scheme === undefined ? isTls : scheme === 'https'
  return { scheme: isHttps ? 'https' : 'http', host: host || sentHost } as const
}
