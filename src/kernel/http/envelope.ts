import type { FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { DomainError } from '../errors.ts'
import type { HttpApp } from './app.ts'
import { pathOf } from './query.ts'
import { isUnreadable, toRefusal } from './refusal.ts'
import { passOverBody } from './refused-body.ts'

interface RenderedError {
  readonly status: number
  /** `content-type` is JSON unless it is given here. */
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, a text as it is. */
  readonly body: unknown
}

/** How one dialect shows a refusal. Everything in the error but its cause may be shown. */
export type RenderError = (
  error: DomainError,
  context: { readonly requestId: string },
) => RenderedError

type ShapeOf = (request: FastifyRequest) => RenderError

const ABOUT_SUCCESS = ['etag', 'cache-control', 'last-modified', 'content-encoding']
export const JSON_TYPE = 'application/json; charset=utf-8'
/** Routes for OPTIONS exist only to refuse it. */
const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Gives one scope its own error shape. Scopes below inherit it until they set theirs. */
export function useEnvelope(app: HttpApp, shapeOf: ShapeOf): void {
  app.setErrorHandler((error, request, reply) => {
    // The body of an unknown route could not be read: the route is still what is wrong.
    const cause = request.is404 && isUnreadable(error) ? unknownPath(app, request, reply) : error
    sendError(shapeOf(request), cause, request, reply)
  })
}

/** For the owner of a prefix: unknown paths below it answer in its shape, 405 where one exists. */
export function ownUnknownPaths(app: HttpApp, shapeOf: ShapeOf): void {
  app.setNotFoundHandler((request, reply) => {
    sendError(shapeOf(request), unknownPath(app, request, reply), request, reply)
  })
}

/** For handlers that route by themselves. The header outlives the error that is thrown next. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): DomainError {
  reply.header('allow', allowed.join(', '))
  return new DomainError(
    'method_not_allowed',
    'method_not_allowed',
    `This path takes only ${allowed.join(', ')}`,
  )
}

/** Refuses methods at a fixed path, which would otherwise mean something else to its owner. */
export function refuseMethods(
  app: HttpApp,
  route: Pick<RouteOptions, 'url' | 'method' | 'config'>,
  allowed: readonly string[],
): void {
  const handler = async (_request: FastifyRequest, reply: FastifyReply) => {
    throw methodNotAllowed(reply, allowed)
  }
  app.route({ ...route, handler })
}

export function sendError(
  renderError: RenderError,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refusal = toRefusal(error, request)
  if (refusal.kind === 'internal' || refusal.kind === 'unavailable') {
    request.server.reportFailure(error, request)
  }
  const { status, headers, body } = renderError(refusal, { requestId: request.id })
  request.refusal = refusal.code
  // What was said of the success does not hold for the refusal.
  for (const name of ABOUT_SUCCESS) reply.removeHeader(name)
  reply.code(status).type(JSON_TYPE).headers(refusal.headers)
  if (headers) reply.headers(headers)
  addObligatoryHeaders(status, reply)
  passOverBody(request.raw, reply)
  // Serialised here: the route's response schema describes its success and would drop members.
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  // As bytes, a type of its own is sent exactly so; the framework adds a charset to texts.
  reply.send(headers?.['content-type'] === undefined ? text : Buffer.from(text))
}

function addObligatoryHeaders(status: number, reply: FastifyReply): void {
  if (status === 401 && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', 'Bearer realm="entrepot"')
  }
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
}

type Scope = Pick<HttpApp, 'findRoute' | 'prefix'>

/**
 * 405 when the path takes other methods, else 404. Routes that serve whatever a parameter names say
 * with `open`, the name of that parameter, that they do not make a path exist.
 */
export function unknownPath(
  app: Scope,
  request: FastifyRequest,
  reply: FastifyReply,
  open?: string,
): DomainError {
  const path = pathOf(request.raw.url ?? '/')
  const allowed = ROUTED_METHODS.filter((method) => hasRoute(app, method, path, open))
  if (allowed.length > 0) return methodNotAllowed(reply, allowed)
  return new DomainError('not_found', 'route_not_found', `There is no route ${path}`)
}

/** The router itself is asked, so parameters and wildcards match exactly as they do for requests. */
function hasRoute(app: Scope, method: HTTPMethods, url: string, open: string | undefined): boolean {
  const route: { params?: object } | null = app.findRoute({ method, url })
  if (!route) return false
  const params = route.params ?? {}
  if (open !== undefined && Object.hasOwn(params, open)) return false
  return !isOfOthers(app, params)
}

/** `/api/:name` also matches `/api/v1`, whose owner has nothing to do with it. */
function isOfOthers({ prefix }: Scope, params: object): boolean {
  const own = prefix.split('/').at(-1)
  const [first] = Object.values(params)
  return own !== '' && first === own
}
