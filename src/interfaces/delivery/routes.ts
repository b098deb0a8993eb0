import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type Read, sendRead } from '#content'
import { type HttpPlugin, methodNotAllowed } from '#http'
import { addVary, queryTextOf } from '#http-text'
import { memoizeOf } from '#kernel'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'
import { notDelivered } from './errors.ts'
import { createMediaReads } from './read/media.ts'
import { createContentReads, type Moved } from './read.ts'
import { type Caller, createAdmission, type Request, readRequest } from './request.ts'
import { findTarget, type Target } from './target.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the path names, and what is read there once it is decided who may. */
    delivery: { readonly target: Target; readonly from?: Request } | null
  }
}

const OTHERS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const VARY = 'Accept-Language, Preview, Start-Item, Api-Key, X-API-Key, Authorization'
const JSON_TYPE = 'application/json; charset=utf-8'

/** Before the guard: what every answer of the mount says, refusals too (contract §10). */
export function onRequest(_request: FastifyRequest, reply: FastifyReply): void {
  addVary(reply, VARY)
}

/** The mount of the interface: one route takes every path, and paths of items are whatever they are. */
export function deliveryRoutes(deps: DeliveryDeps): HttpPlugin {
  const { content } = deps
  const admission = createAdmission(deps)
  // Settings are another object when one of them has changed.
  let lastNumber = 0
  const numberOf = memoizeOf((_settings: DeliverySettings) => ++lastNumber)
  const contentReads = createContentReads(deps)
  const mediaReads = createMediaReads(deps)

  return (app) => {
    app.decorateRequest('delivery', null)
    const cache = { headers: ['accept-language', 'start-item'], seen }
    const config = { access: enter, ownKey, cache }
    for (const url of ['/', '/*']) {
      app.route({ method: 'GET', url, config, onRequest: admit, handler })
      app.route({ method: OTHERS, url, config, onRequest: refuse, handler })
    }
  }

  /** Runs inside the guard, first of all: what is switched off is not there (contract §2). */
  function enter(request: FastifyRequest): 'none' {
    const target = findTarget(request)
    const { enabled, mediaEnabled } = deps.settings()
    request.usageEndpoint = target?.template ?? '(unmatched)'
    if (!enabled || !target || (target.part === 'media' && !mediaEnabled)) throw notDelivered()
    request.delivery = { target }
    return 'none'
  }

  function ownKey(request: FastifyRequest) {
    return admission.ownKey(request, request.delivery?.target.part ?? 'content')
  }

  function admit(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    const target = request.delivery?.target
    if (!target) throw notDelivered()
    const caller = admission.admit(request, target.part)
    if (caller instanceof Promise) return caller.then(begin)
    begin(caller)
    done()

    /** The model and the settings are taken once, so that they cannot change on the way. */
    function begin(caller: Caller) {
      const now = { model: content.model(), settings: deps.settings() }
      const { fields: moduleFields } = content.indexFields
      const from = { request, reply, caller, ...now, moduleFields, query: queryTextOf(request) }
      if (target) request.delivery = { target, from }
    }
  }

  function seen({ delivery }: FastifyRequest): string | undefined {
    if (!delivery?.from) return undefined
    const { caller, model, settings } = delivery.from
    const { viewer, isPreview, isAnybody } = caller
    return `${viewer.level} ${isPreview} ${isAnybody} ${model.revision} ${numberOf(settings)}`
  }

  async function refuse(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
    throw methodNotAllowed(reply, ['GET', 'HEAD'])
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | string> {
    const { target, from } = request.delivery ?? {}
    if (!target || !from) throw notDelivered()
    reply.type(JSON_TYPE).header('cache-control', cachingOf(from.caller))
    const found = await read(from, target)
    return 'text' in found ? sendRead(request, reply, found) : sendMoved(reply, found)
  }

  function read(from: Request, { part, what }: Target): Promise<Read | Moved> {
    const asked = readRequest(from)
    const reads = part === 'media' ? mediaReads : contentReads
    switch (what.kind) {
      case 'list':
        return reads.listAll(asked)
      case 'items':
        return reads.items(asked)
      case 'id':
        return reads.byId(asked, what.id)
      case 'path':
        return reads.byPath(asked, what.path)
    }
  }
}

/** Contract §10. */
function cachingOf({ isAnybody, isPreview }: Caller): string {
  if (isPreview) return 'no-store'
  return isAnybody ? 'public, no-cache' : 'private, no-cache'
}

/** Where an item has gone (contract §5). */
function sendMoved(reply: FastifyReply, { moved: { route } }: Moved): string {
  reply.code(301).removeHeader('content-type')
  reply.headers({
    location: encodeURI(route.path),
    'location-start-item-path': encodeURI(route.startItem.path),
    'location-start-item-id': route.startItem.id,
  })
  return ''
}
