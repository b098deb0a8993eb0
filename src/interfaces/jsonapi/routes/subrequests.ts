import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import { type HttpPlugin, parseJson, type RenderError } from '#http'
import { nodeHttp, renderError } from '#http-text'
import { DomainError } from '#kernel'
import type { JsonApiDeps } from '../deps.ts'
import { routeByLanguage } from '../request.ts'
import { parseBlueprint } from './subrequests/blueprint.ts'
import { createTokens, type Ready, type Subresponse } from './subrequests/tokens.ts'

const MULTI_STATUS = 207
const FAILED_DEPENDENCY = 424
/** After tokens have made several of one. */
const MOST_SENT = 100
const MOST_BYTES = 16 * 1024 * 1024

/** Of the request that carries others: who asks, and from where. */
const FORWARDING = [
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip', 'via'],
]
const CARRIED = ['accept-language', 'host', 'user-agent', ...FORWARDING]
const CREDENTIALS = ['authorization', 'x-api-key']
const REACHED = /^\/(?:jsonapi|router)(?:[/?]|$)/
const SHOWN = ['content-type', 'location', 'etag', 'allow', 'retry-after', 'www-authenticate']

/**
 * Several requests in one, by a blueprint (contract, changes after 0.1). Each is handed to the server as if it had come
 * by itself: it is admitted, limited, counted and logged like any other, and fails alone.
 */
export function subrequestRoutes({ origin }: Pick<JsonApiDeps, 'origin'>): HttpPlugin {
  return (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.get('/', (request, reply) => answer(request, reply, blueprintIn(request), true))
    app.post('/', (request, reply) => {
      const { body } = request
      if (!Buffer.isBuffer(body) || body.length === 0) throw noBlueprint()
      return answer(request, reply, parseJson(body), false)
    })
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    blueprint: unknown,
    isReadOnly: boolean,
  ): Promise<string> {
    const answers = await perform(request, parseBlueprint(blueprint, isReadOnly))
    reply.code(MULTI_STATUS).header('cache-control', 'private, no-store')
    if (parameterOf(request, '_format') === 'json') {
      reply.type('application/json')
      return renderJson(answers)
    }
    const boundary = randomUUID()
    reply.type(`multipart/related; boundary="${boundary}"; type="application/vnd.api+json"`)
    return renderMultipart(answers, boundary)
  }

  /** One after the other: a blueprint is one client, and its changes have an order. */
  async function perform(
    request: FastifyRequest,
    blueprint: ReturnType<typeof parseBlueprint>,
  ): Promise<readonly Subresponse[]> {
    const { fillTokens } = createTokens()
    const answers: Subresponse[] = []
    let bytes = 0
    for (const each of blueprint) {
      const ready = fillTokens(each, answers)
      if ('fault' in ready) {
        answers.push(notSent(each.id, FAILED_DEPENDENCY, ready.fault))
        continue
      }
      for (const one of ready) {
        const isFull = answers.length >= MOST_SENT || bytes > MOST_BYTES
        const got = isFull ? notSent(one.id, 413, TOO_MUCH) : await send(request, one)
        bytes += got.body.length
        answers.push(got)
        // The first that is not sent tells of all that would follow.
        if (isFull) break
      }
    }
    return answers
  }

  async function send(request: FastifyRequest, ready: Ready): Promise<Subresponse> {
    const { id, method, body } = ready
    const url = ownUrl(ready.uri, origin(request))
    if (url === undefined) {
      return notSent(id, 404, `${ready.uri.slice(0, 200)} is not below /jsonapi or /router`)
    }
    const headers = {
      ...headersOf(request, CARRIED),
      ...credentialsFor(ready, request),
      ...ready.headers,
    }
    const sent: InjectOptions = {
      ...{ method: METHODS.find((known) => known === method) ?? 'GET', url, headers },
      ...(body === undefined ? {} : { payload: body }),
      remoteAddress: addressOf(request),
    }
    const got = await request.server.inject(sent)
    const shown = SHOWN.flatMap((name) => {
      const value = got.headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    return { id, status: got.statusCode, headers: Object.fromEntries(shown), body: got.body }
  }
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
const TOO_MUCH = `The answers so far are ${MOST_SENT} or hold ${MOST_BYTES} bytes; ask for less at once`

/** The path and query of what is served here; undefined of anything else. */
function ownUrl(uri: string, origin: string): string | undefined {
  if (!URL.canParse(uri, origin)) return undefined
  const url = new URL(uri, origin)
  const path = `${url.pathname}${url.search}`
  return url.origin === new URL(origin).origin && REACHED.test(routeByLanguage(path))
    ? path
    : undefined
}

function headersOf({ headers }: FastifyRequest, names: readonly string[]): Record<string, string> {
  const carried = names.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return Object.fromEntries(carried)
}

/** A request that names its own asker has no other; one by a key in the URL has that. */
function credentialsFor({ headers }: Ready, request: FastifyRequest): Record<string, string> {
  if (CREDENTIALS.some((name) => headers[name] !== undefined)) return {}
  const key = parameterOf(request, 'api_key')
  return key === undefined ? headersOf(request, CREDENTIALS) : { 'x-api-key': key }
}

/** Proxies are named by the headers that are carried; what our own gateway says holds for one request only. */
function addressOf({ raw, ip, headers }: FastifyRequest): string {
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined)
  return isForwarded ? (raw.socket.remoteAddress ?? ip) : ip
}

function blueprintIn(request: FastifyRequest): unknown {
  const text = parameterOf(request, 'query')
  if (text === undefined) throw noBlueprint()
  return parseJson(Buffer.from(text))
}

function parameterOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(query ?? {})).get(name)
  return typeof value === 'string' ? value : undefined
}

function noBlueprint(): DomainError {
  const message = 'Send a blueprint: a list of requests as JSON, by POST or in the parameter query'
  return new DomainError('invalid', 'blueprint_required', message)
}

/** `message` is what clients of blueprints read. */
export const renderBlueprintError: RenderError = (error, context) => {
  const rendered = renderError(error, context)
  const errors = error.issues.map(({ path, message }) => ({
    detail: message,
    source: { pointer: path.map((step) => `/${step}`).join('') },
  }))
  const body = { message: error.message, ...(errors.length > 0 && { errors }) }
  return { ...rendered, body }
}

/** By id, as the common front-end library reads it: each body is a text, each header a list. */
function renderJson(answers: readonly Subresponse[]): string {
  const members = answers.map(({ id, status, headers, body }) => {
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]] as const)
    const own = { 'content-id': [`<${id}>`], status: [status] }
    return [id, { headers: { ...Object.fromEntries(lists), ...own }, body }] as const
  })
  return JSON.stringify(Object.fromEntries(members))
}

/** RFC 2387: one part for each answer. */
function renderMultipart(answers: readonly Subresponse[], boundary: string): string {
  const parts = answers.map(({ id, status, headers, body }) => {
    const own = { ...headers, 'content-id': `<${id}>`, status: String(status) }
    const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}`)
    return `--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n${body}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** An answer of our own to a request that was not sent. */
function notSent(id: string, status: number, message: string): Subresponse {
  const title = nodeHttp().STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ message: title, details: message })
  return { id, status, headers: { 'content-type': 'application/json' }, body }
}
