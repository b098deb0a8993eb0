import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import type { HttpApp } from './app.ts'

/** An answer that can be given again. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where answers to `Idempotency-Key` are kept (REST conventions §3); HTTP only asks and tells. */
export interface Idempotency {
  /**
   * The kept answer; undefined means that this request is the first and now owns the key. Throws
   * when the key's first request is still running or had another body.
   */
  begin(request: FastifyRequest, key: string): Promise<KeptAnswer | undefined>
  /** Undefined gives the key free: we failed, or the answer shows a secret that is shown once. */
  finish(request: FastifyRequest, key: string, answer: KeptAnswer | undefined): Promise<void>
}

const MAX_KEY_LENGTH = 255
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'link', 'api-version']

/** Requests without the header pass both hooks without waiting for anything. */
export function useIdempotency(app: HttpApp, idempotency: Idempotency): void {
  const owned = new WeakMap<FastifyRequest, string>()

  app.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'POST' || request.headers['idempotency-key'] === undefined) return done()
    replay(request, reply).then((isReplayed) => {
      if (!isReplayed) done()
    }, done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const key = owned.get(request)
    if (key === undefined) return done(null, payload)
    idempotency.finish(request, key, toKept(reply, payload)).then(() => done(null, payload), done)
  })

  async function replay(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const key = checkedKey(request.headers['idempotency-key'])
    const kept = await idempotency.begin(request, key)
    if (!kept) {
      owned.set(request, key)
      return false
    }
    reply.code(kept.status).headers(kept.headers).header('idempotent-replayed', 'true')
    reply.send(kept.body)
    return true
  }
}

function checkedKey(key: string | string[] | undefined): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key
  const message = `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`
  throw invalid([{ path: ['Idempotency-Key'], rule: 'length', message }], 'invalid_parameter')
}

function toKept(reply: FastifyReply, payload: unknown): KeptAnswer | undefined {
  if (reply.statusCode >= 500 || reply.getHeader('cache-control') === 'no-store') return undefined
  const body = payload ?? ''
  if (typeof body !== 'string') return undefined
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name)
    return typeof value === 'string' ? [[name, value]] : []
  })
  return { status: reply.statusCode, headers: Object.fromEntries(headers), body }
}
