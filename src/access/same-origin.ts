import type { FastifyRequest } from 'fastify'

/**
 * Whether a page of another site made the browser send this. Browsers say so in `Origin` or
 * `Sec-Fetch-Site` with every change; a request with neither comes from no page. Only the host is
 * compared: behind a proxy that we are not told of we do not know our own scheme, and browsers do not
 * send our cookie (`SameSite=Lax`) from one scheme to the other.
 */
export function isCrossSite(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  const host = URL.parse(origin)?.host
  if (!host) return true
  return host !== request.host && host !== (publicUrl && URL.parse(publicUrl)?.host)
}
