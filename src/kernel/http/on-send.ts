import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { type Coding, createNegotiation, type Negotiated } from './accept-encoding.ts'
import { compress, compressStream, isCompressible } from './compression.ts'
import { etagForCoding, isNotModified, weakEtag } from './etag.ts'
import { addVary } from './vary.ts'

type Body = string | Buffer | Readable
type Done = (error: Error | null, payload?: unknown) => void

/** Below this the headers cost as much as compression saves (REST conventions §10). */
const MIN_COMPRESSED_BYTES = 1024
const REVALIDATE = 'private, no-cache'

/**
 * The last step of every answer: tag it, answer 304 when the client has it, compress it. One hook
 * for all three, because they must see the body in this order and every hook costs each request.
 */
export function createOnSend({ etag }: { etag: boolean }): onSendHookHandler<unknown> {
  const negotiate = createNegotiation()
  return function onSend(request, reply, payload, done) {
    if (!isBody(payload)) return done(null, payload)
    const coding = codingFor(request, reply, payload, negotiate(request.headers['accept-encoding']))
    const tag = isRead(request, reply) ? tagFor(request, reply, payload, etag) : undefined
    if (tag !== undefined) {
      reply.header('etag', coding ? etagForCoding(tag, coding) : tag)
      // Tagged answers are asked for again each time, unless the route knows better.
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
      if (isNotModified(request, tag)) return sendNotModified(request, reply, payload, done)
    }
    if (coding) send(request, reply, payload, coding, done)
    else done(null, payload)
  }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  coding: Coding,
  done: Done,
): void {
  if (body instanceof Readable) {
    announce(reply, coding)
    // A HEAD asks only for the headers, and they do not depend on the compressed bytes.
    done(null, request.method === 'HEAD' ? body : compressStream(body, coding))
    return
  }
  compress(body, coding, (compressed) => {
    if (compressed) announce(reply, coding)
    done(null, compressed ?? body)
  })
}

function sendNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  done: Done,
): void {
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  if (body instanceof Readable) body.destroy()
  // The framework measures the body of a HEAD before it drops it, and stumbles over none at all.
  done(null, request.method === 'HEAD' ? body : null)
}

function announce(reply: FastifyReply, coding: Coding): void {
  reply.header('content-encoding', coding).removeHeader('content-length')
}

function isBody(payload: unknown): payload is Body {
  return typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof Readable
}

function isRead(request: FastifyRequest, reply: FastifyReply): boolean {
  return reply.statusCode === 200 && (request.method === 'GET' || request.method === 'HEAD')
}

/** The route's own tag, else a weak one over the body when that is wanted and possible. */
function tagFor(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  isWanted: boolean,
): string | undefined {
  const own = reply.getHeader('etag')
  if (typeof own === 'string') return own
  if (!isWanted || body instanceof Readable) return undefined
  if (reply.getHeader('cache-control') === 'no-store') return undefined
  return request.routeOptions.config.etag === false ? undefined : weakEtag(body)
}

/** The coding to use, or undefined; says in `Vary` that it depended on what the client accepts. */
function codingFor(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  wanted: Negotiated,
): Coding | undefined {
  if (!wanted.isRequired && isSmall(body)) return undefined
  const { statusCode } = reply
  if (statusCode === 204 || statusCode === 206 || statusCode === 304) return undefined
  if (reply.hasHeader('content-encoding')) return undefined
  const type = String(reply.getHeader('content-type') ?? '')
  if (!wanted.isRequired && !isCompressible(type)) return undefined
  if (request.routeOptions.config.compress === false) return undefined
  if (String(reply.getHeader('cache-control') ?? '').includes('no-transform')) return undefined
  addVary(reply, 'Accept-Encoding')
  return wanted.coding
}

function isSmall(body: Body): boolean {
  return !(body instanceof Readable) && Buffer.byteLength(body) < MIN_COMPRESSED_BYTES
}
