import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { KeyPair } from '../key-pair.ts'
import type { Log } from '../log.ts'
import { type AccessLogSink, createAccessLog } from './access-log.ts'
import type { HttpApp } from './app.ts'
import { createParserErrors } from './client-error.ts'
import { renderError } from './conventions.ts'
import { type CorsOptions, createCors } from './cors.ts'
import { docsPage } from './docs.ts'
import { sendError } from './envelope.ts'
import { useHouseJson } from './json-body.ts'
import { maskError, maskUrl } from './mask.ts'
import { createMountTable, fillScope, type Mount } from './mounts.ts'
import { createOnRequest, createRequestIds } from './on-request.ts'
import { collectRoutes, OPENAPI_PATH, type OpenApiOptions, openApiRoutes } from './openapi.ts'
import { pathOf } from './query.ts'
import { toRefusal } from './refusal.ts'
import type { RequestObserver } from './request-log.ts'
import { createSerializerCompiler } from './serialization.ts'
import { overTls } from './tls-server.ts'
import { createValidatorCompiler } from './validation.ts'

interface HttpLimits {
  /** Largest JSON body; a route may set its own `bodyLimit`. */
  readonly bodyBytes: number
  /** Request line and headers together. */
  readonly headerBytes: number
  /** For the whole request to arrive. */
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

export interface HttpServerDeps {
  readonly log: Log
  /** One line per request; `log` unless given. */
  readonly accessLog?: AccessLogSink
  readonly ids: Pick<Ids, 'uuid'>
  readonly mounts: readonly Mount[]
  readonly limits?: Partial<HttpLimits>
  /** HTTP over TLS with this pair, and without TLS not at all. */
  readonly tls?: KeyPair | null
  /** Addresses and networks whose forwarding headers are believed. */
  readonly trustedProxies?: readonly string[]
  readonly cors?: CorsOptions
  readonly isDevelopment?: boolean
  /** Beside the access log, for example metrics. */
  readonly observers?: readonly RequestObserver[]
  /** Takes over what a gateway of ours says of the request; true when it is one. */
  readonly trustGateway?: (request: FastifyRequest) => boolean
  /** Where a request goes whose path alone does not decide it; the URL as sent otherwise. */
  readonly redirect?: (url: string, headers: IncomingHttpHeaders) => string
  /** Errors of a database that does not answer become 503 instead of 500. */
  readonly isUnavailable?: (error: unknown) => boolean
  /** The OpenAPI document and the page that shows it; none when absent. */
  readonly openapi?: OpenApiOptions
}

const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 64 * 1024,
  requestTimeoutMs: 300_000,
  keepAliveMs: 72_000,
}
/**
 * What exceeds our own limits is refused where its URL is known, in the shape that belongs there. No more
 * than a body may have: a head costs no more memory than that.
 */
const PARSER = { maxHeaderSize: 1024 * 1024, requireHostHeader: false }

/** A server with every mount in its own scope; the caller lets it listen. */
export async function createHttpServer(deps: HttpServerDeps): Promise<HttpApp> {
  const { log, ids, tls, trustedProxies = [], isDevelopment = false } = deps
  const table = createMountTable(deps.mounts)
  const observers = [createAccessLog(deps.accessLog ?? log), ...(deps.observers ?? [])]
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const { begin, onRequest } = createOnRequest({
    log,
    cors: createCors(deps.cors ?? { origins: '*' }),
    observers,
    trustGateway: deps.trustGateway,
    expectsNoProxy: isDevelopment && trustedProxies.length === 0,
    maxHeadBytes: limits.headerBytes,
  })
  const parser = createParserErrors({ log, ids, shapeAt })
  const { default: fastify } = await import('fastify')
  const app: HttpApp = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: PARSER,
    ...(tls ? overTls(tls, { ...PARSER, ...limits }) : {}),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: createRequestIds(ids),
    // The sentences are made from the problems themselves, and only from as many as are shown.
    schemaErrorFormatter: (_problems, part) => new Error(`${part} is not valid`),
    // Requests on kept connections are still served while the server stops: none may fail.
    return503OnClosing: false,
    rewriteUrl,
    // Not by the router: it would parse those that routes parse themselves.
    routerOptions: { querystringParser: () => ({}), maxParamLength: limits.headerBytes },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: parser.onClientError,
    // Only what no hook of ours can see; the access log is written when the answer is over.
    logController: Object.assign(new fastify.LogController({ disableRequestLogging: true }), {
      streamError: logCutOff,
    }),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(await createValidatorCompiler())
  app.setSerializerCompiler(await createSerializerCompiler())
  app.decorate('reportFailure', reportFailure)
  app.decorate('isUnavailable', deps.isUnavailable ?? (() => false))
  prepareRequests(app)
  app.addHook('onRequest', onRequest)
  if (deps.openapi) await collectRoutes(app, table, deps.openapi)
  for (const mount of withDocs(table.mounts, deps.openapi)) {
    const prefix = mount.prefix === '/' ? '' : mount.prefix
    app.register((scope: HttpApp) => fillScope(scope, mount, shapeAt), { prefix })
  }
  app.server.prependListener('request', parser.watch)
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  return app

  function rewriteUrl({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
    return table.toRoutedUrl(deps.redirect ? deps.redirect(url, headers) : url)
  }

  /** `//api//x` is no path of `/api`, but whoever asks for it speaks that dialect. */
  function shapeAt(url: string) {
    const path = pathOf(url).replaceAll(/\/{2,}/g, '/')
    return table.speakerOf(rewriteUrl({ url: path, headers: {} })).renderError
  }

  /** A bad percent-encoding is found before any scope: the owner of the URL gives the shape. */
  function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    begin(request, reply)
    sendError(shapeAt(request.raw.url ?? '/'), toRefusal(error, request), request, reply)
  }

  function reportFailure(error: unknown, request: FastifyRequest): void {
    // Without a cause nothing has failed: the server keeps a limit, and where it says so is no news.
    if (error instanceof DomainError && error.cause === undefined) {
      log.warn({ ...identify(request), code: error.code }, 'request refused')
    } else {
      log.error({ ...identify(request), err: maskError(error) }, 'request failed')
    }
  }

  /** The status is long sent; cutting the answer off is all that can tell the client. */
  function logCutOff(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    log.error({ ...identify(request), err: maskError(error) }, 'answer cut off')
  }
}

function prepareRequests(app: HttpApp): void {
  app.decorateRequest('actor', null)
  app.decorateRequest('queryText', null)
  app.decorateRequest('madeFrom', null)
  app.decorateRequest('cacheMiss', null)
  app.decorateRequest('refusal', null)
  app.decorateRequest('isEventStream', false)
  app.removeAllContentTypeParsers()
  useHouseJson(app)
}

function identify(request: FastifyRequest) {
  return { request_id: request.id, method: request.method, url: maskUrl(request.originalUrl) }
}

function withDocs(mounts: readonly Mount[], openapi: OpenApiOptions | undefined): readonly Mount[] {
  if (!openapi) return mounts
  const { title, guard, documents = [], others = [] } = openapi
  const named = [{ title, path: OPENAPI_PATH }, ...documents, ...others]
  const below = { prefix: '/', guest: true, renderError } as const
  const document: Mount = { ...below, plugin: openApiRoutes(openapi), ...(guard ? { guard } : {}) }
  const page: Mount = { ...below, plugin: docsPage({ title, documents: named }) }
  return [...mounts, document, page]
}
