import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type HttpApp, refuseMethods } from '#http'

export const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The JSON of an answer; who reads with a key may see more, so that is not for shared caches. */
export function sendJson<Body extends string | Buffer>(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
): Body {
  reply.type('application/json; charset=utf-8')
  if (methodOf(request) === 'GET') {
    const isPublic = request.actor === null
    reply.header(
      'cache-control',
      isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
    )
  }
  return body
}

/** Fixed paths refuse other methods themselves, or they would be taken for names of collections. */
export function refuseOthers(app: HttpApp, url: string, allowed: readonly HTTPMethods[]): void {
  const taken = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  const method = METHODS.filter((each) => !taken.includes(each))
  refuseMethods(app, { method, url, config: { access: 'none' } }, taken.map(String))
}

/** A HEAD asks what a GET would answer. */
export function methodOf({ method }: FastifyRequest): string {
  return method === 'HEAD' ? 'GET' : method
}
