import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { breathe } from '#content'
import { meantBy } from '#content-dialect'
import { levelFor, type Operation } from '#content-query'
import { type HttpPlugin, methodNotAllowed, unknownPath } from '#http'
import { type AccessLevel, DomainError } from '#kernel'
import type { RestDeps } from './deps.ts'
import type { Version } from './query/parse.ts'
import { createChanges } from './read/changes.ts'
import { createRelated } from './read/related.ts'
import { createRevisionReading } from './read/revisions.ts'
import { createWordSearch } from './read/search.ts'
import { createReading } from './read.ts'
import { type Asked, read } from './request.ts'
import { type Address, findResource, type Resource, type Target } from './target.ts'
import { BULK_BYTES, BulkBody } from './write/bulk/operations.ts'
import { createBulk } from './write/bulk.ts'
import { createWriting } from './write.ts'

/** The last one only to be refused here: otherwise the owner of `/api` would, in its own shape. */
const RECORD_METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const RECORD_URLS = [
  '/:collection',
  '/:collection/:id',
  '/:collection/:id/:member',
  '/:collection/:id/:member/:item',
  '/:collection/:id/:member/:item/:action',
]
/** Names whatever the model has at the moment. */
const PARAMETER = 'collection'
const READS = ['GET', 'HEAD']
const CACHE = {
  headers: ['prefer'],
  seen: ({ resource }: FastifyRequest) => resource?.model.revision.toString(),
}

/**
 * Content resources of one version. Types come and go while the server runs, so the routes have
 * parameters where others have names, and the model decides what a path is.
 */
export function contentRoutes(deps: RestDeps, version: Version): HttpPlugin {
  const { content } = deps
  const reading = createReading(deps)
  const writing = createWriting(deps)
  const related = createRelated(deps, writing)
  const bulk = createBulk(deps, writing)
  const changes = createChanges(deps)
  const search = createWordSearch(deps)
  const revisions = createRevisionReading(deps)

  return (app) => {
    app.decorateRequest('resource', null)
    app.get('/changes', { config: { access: 'read' } }, (request, reply) =>
      changes.list(request, reply, version),
    )
    if (version === 1) app.get('/search', { config: { access: 'read' } }, search.list)
    app.post(
      '/:collection/bulk',
      {
        config: { access: admit, idempotent: true },
        bodyLimit: BULK_BYTES,
        schema: { hide: true, body: BulkBody },
        onRequest: refuseUnknown,
        // To read a long body takes its time, too.
        preParsing: breathe,
      },
      (request, reply) => bulk.run(ask(request, reply), request.body),
    )
    for (const url of RECORD_URLS) {
      for (const method of RECORD_METHODS) {
        const idempotent = method === 'POST' ? { idempotent: true as const } : {}
        const config = { access: admit, cache: CACHE, ...idempotent }
        app.route({ method, url, config, onRequest: refuseUnknown, handler })
      }
    }
    // Otherwise the owner of `/api` would take the version for the name of a collection.
    const nowhere = { url: '/', schema: { hide: true }, config: { access: admit } }
    app.route({ ...nowhere, method: RECORD_METHODS, handler: refuseRoot })
  }

  function handler(request: FastifyRequest, reply: FastifyReply) {
    const asked = ask(request, reply)
    const { target } = asked.resource
    const isRead = READS.includes(request.method)
    switch (target.kind) {
      case 'list':
        return isRead ? reading.list(asked) : writing.create(asked)
      case 'record':
        return isRead ? reading.one(asked, target.address) : change(asked, target.address)
      case 'related':
        if (!isRead) return related.create(asked, target)
        return target.many ? related.list(asked, target) : related.one(asked, target)
      case 'action':
        return writing.act(asked, target.address, target.action)
      case 'revisions':
        return revisions.list(asked, target.address)
      case 'revision':
        return revisions.one(asked, target)
      case 'restore':
        return writing.restore(asked, target)
      case 'bulk':
        throw new Error('bulk has a route of its own')
    }
  }

  function change(asked: Asked, address: Address) {
    switch (asked.request.method) {
      case 'PUT':
        return writing.update(asked, address, 'replace')
      case 'PATCH':
        return writing.update(asked, address, 'merge')
      default:
        return writing.remove(asked, address)
    }
  }

  /** Runs inside the guard, so that the usage record of a refused request names its resource too. */
  function admit(request: FastifyRequest) {
    const resource = findResource(content.model(), version, request)
    request.resource = resource
    request.usageEndpoint = resource?.template ?? '(unmatched)'
    if (!resource?.methods.includes(request.method)) return 'any'
    return levelNeeded(resource, request.method)
  }

  function ask(request: FastifyRequest, reply: FastifyReply): Asked {
    const { resource } = request
    if (!resource) throw unknown(request, reply)
    return read(request, reply, resource)
  }

  /** After the guard, before the body is read: nobody reads what is sent to nowhere. */
  function refuseUnknown(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const { resource } = request
    if (!resource) done(unknown(request, reply))
    else if (resource.methods.includes(request.method)) done()
    else done(methodNotAllowed(reply, resource.methods))
  }

  /** Whoever writes `/article` for `/articles` is told. */
  function unknown(request: FastifyRequest, reply: FastifyReply): DomainError {
    const { [PARAMETER]: name }: { [PARAMETER]?: unknown } = Object(request.params)
    const meant = meantBy(content.model(), name)
    if (meant === undefined) return unknownPath(request.server, request, reply, PARAMETER)
    const message = `There is no collection ${name}; did you mean /api/v${version}/${meant}?`
    return new DomainError('not_found', 'route_not_found', message)
  }
}

/** Former values are drafts to everybody else. */
function isOfRevisions({ kind }: Target): boolean {
  return kind === 'revisions' || kind === 'revision' || kind === 'restore'
}

const LEVELS: readonly AccessLevel[] = ['read', 'write', 'admin']

/** This API needs a key, whatever the public may elsewhere; what a bulk holds is looked at one by one. */
function levelNeeded({ model, type, target }: Resource, method: string): AccessLevel {
  const isRead = READS.includes(method)
  if (target.kind === 'bulk') {
    const needed = (['create', 'update', 'delete'] as const).map((each) => levelFor(type, each))
    return LEVELS.find((level) => needed.includes(level)) ?? 'read'
  }
  if (target.kind === 'related' && !isRead) {
    const child = model.findType(target.relation.target)
    const needed = [levelFor(type, 'read'), child ? levelFor(child, 'create') : 'read']
    return LEVELS.findLast((level) => needed.includes(level)) ?? 'read'
  }
  const level = levelFor(type, isRead ? 'read' : operationOf(target, method))
  if (isOfRevisions(target)) return level === 'admin' ? level : 'write'
  return level === 'none' ? 'read' : level
}

function operationOf(target: Target, method: string): Operation {
  if (target.kind === 'action') return target.action === 'discard-draft' ? 'update' : 'publish'
  if (target.kind === 'list') return 'create'
  return method === 'DELETE' ? 'delete' : 'update'
}

async function refuseRoot({ url }: FastifyRequest): Promise<never> {
  const [path] = url.split('?', 1)
  throw new DomainError('not_found', 'route_not_found', `There is no route ${path}`)
}
