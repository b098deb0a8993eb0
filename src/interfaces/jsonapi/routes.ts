import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { invalidKey, type RouteAccess } from '#access'
import { type Read, sendRead } from '#content'
import { levelFor, mayRead, type Operation } from '#content-query'
import { type HttpApp, type HttpPlugin, methodNotAllowed } from '#http'
import type { JsonApiDeps } from './deps.ts'
import { JSONAPI, unknownResource } from './errors.ts'
import { createRelated } from './read/related.ts'
import { createUserDirectory } from './read/users.ts'
import { createReading } from './read.ts'
import { type Asked, readRequest, selfOf } from './request.ts'
import { type Found, findTarget, methodsOf, type Target, templateOf } from './target.ts'
import { createWriting } from './write.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the path names in the model as it was when the request came. */
    jsonapi: Found | null
  }
}

const METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const READS = ['GET', 'HEAD']
const EFFECTIVE_HEADERS = ['accept', 'accept-language', 'x-api-version']
const MIB = 1024 * 1024
/** Contract §10. */
const MAX_BODY_BYTES = 10 * MIB

/**
 * The mount of `/jsonapi`. Types come and go while the server runs, so one route takes every path
 * and the model decides what it is.
 */
export function jsonApiRoutes(deps: JsonApiDeps): HttpPlugin {
  const { content, settings } = deps
  const directory = createUserDirectory(deps.users)
  const all = { ...deps, directory }
  const reading = createReading(all)
  const related = createRelated(all)
  const writing = createWriting(all, reading, related)

  return (app) => {
    app.decorateRequest('jsonapi', null)
    useBodies(app)
    for (const url of ['/', '/*']) {
      const config = { access: admit, cache: { headers: EFFECTIVE_HEADERS, seen } }
      app.route({ method: 'GET', url, config, onRequest: check, handler })
      for (const method of METHODS) {
        const idempotent = method === 'POST' ? { idempotent: true as const } : {}
        const config = { access: admit, ...idempotent }
        app.route({ method, url, config, bodyLimit: MAX_BODY_BYTES, onRequest: check, handler })
      }
    }
  }

  /** Runs inside the guard: what the place is decides who may have it. */
  function admit(request: FastifyRequest): RouteAccess {
    const found = findTarget(content.model(), request.method, pathBelow(request))
    request.jsonapi = found
    request.usageEndpoint = templateOf(found.target)
    const { target } = found
    if (!target || !offered(target).includes(request.method)) return 'none'
    if (target.kind === 'entryPoint') return 'none'
    const { resource } = target
    const isRead = READS.includes(request.method)
    // Files are for whoever may upload them.
    const isFile =
      resource.kind !== 'entry' || target.kind === 'upload' || target.kind === 'related'
    if (isFile && !isRead) return 'write'
    const level =
      resource.kind === 'entry'
        ? levelFor(resource.type, operationOf(request.method, target))
        : 'none'
    if (level !== 'none') return level
    if (!isRead) return 'form'
    return settings().publicRead ? 'none' : 'read'
  }

  function offered(target: Target): readonly string[] {
    const methods = methodsOf(target)
    return settings().readOnly ? methods.filter((method) => READS.includes(method)) : methods
  }

  /** After the guard: a credential that it could not read at all is a wrong one (contract §5). */
  function check(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const target = request.jsonapi?.target
    if (request.actor === null && request.headers.authorization) done(invalidKey())
    else if (!target) done(unknownResource())
    else if (!offered(target).includes(request.method))
      done(methodNotAllowed(reply, offered(target)))
    else done()
  }

  async function handler(request: FastifyRequest, reply: FastifyReply) {
    const found = request.jsonapi
    if (!found?.target) throw unknownResource()
    const asked = readRequest(request, reply, found, deps)
    const { target } = found
    if (!READS.includes(request.method)) return writing.write(asked, target)
    if (target.kind === 'entryPoint') return Buffer.from(renderEntryPoint(asked, deps))
    // Who reads with a key may see more, so that is not for shared caches.
    const isPublic = request.actor === null
    reply.header(
      'cache-control',
      isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
    )
    return sendRead(request, reply, await read(asked, target))
  }

  function seen({ jsonapi }: FastifyRequest): string | undefined {
    return jsonapi?.target && `${jsonapi.catalogue.model.revision} ${directory.revision()}`
  }

  function read(asked: Asked, target: Exclude<Target, { kind: 'entryPoint' }>): Promise<Read> {
    switch (target.kind) {
      case 'collection':
        return reading.collection(asked, target.resource)
      case 'individual':
        return reading.individual(asked, target.resource, target.id)
      case 'related':
        return related.related(asked, target)
      case 'relationship':
        return related.relationship(asked, target)
      case 'upload':
        throw unknownResource()
    }
  }
}

/** Every type that the caller may read, by its name (contract §3.1). */
function renderEntryPoint(asked: Asked, { settings }: Pick<JsonApiDeps, 'settings'>): string {
  const { catalogue, base, request, viewer } = asked
  const isOpen = viewer.level !== null || settings().publicRead
  const readable = catalogue.all.filter(
    (resource) => isOpen && (resource.kind !== 'entry' || mayRead(viewer, resource.type)),
  )
  const links = Object.fromEntries(
    readable.map(({ name, path }) => [name, { href: `${base}${path}` }]),
  )
  const uuid = request.actor?.consumerId
  const me = { href: `${base}/user/user/${uuid}`, meta: { id: uuid } }
  const meta = uuid === undefined ? {} : { meta: { links: { me } } }
  const document = { jsonapi: JSONAPI, data: [], ...meta }
  return JSON.stringify({ ...document, links: { self: { href: selfOf(asked) }, ...links } })
}

function operationOf(method: string, { kind }: Target): Operation {
  if (READS.includes(method)) return 'read'
  if (kind !== 'collection' && kind !== 'individual') return 'update'
  return method === 'POST' ? 'create' : method === 'DELETE' ? 'delete' : 'update'
}

const MOUNT = '/jsonapi'

function pathBelow({ raw }: FastifyRequest): string {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  return path.slice(MOUNT.length)
}

/**
 * Bodies are read as bytes and understood by whoever needs them: on some methods they are ignored,
 * whatever they are. Uploads are not read here at all.
 */
function useBodies(app: HttpApp): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => {
    done(null, undefined)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
