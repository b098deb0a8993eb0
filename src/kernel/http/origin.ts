import type { FastifyRequest } from 'fastify'

/** Where clients see us: absolute URLs in answers begin so. */
export function publicOrigin(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  // A proxy can say anything in X-Forwarded-Proto; the path of a URL must not begin there.
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host}`
}
