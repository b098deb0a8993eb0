import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Read } from '#content'
import { addVary, type HttpPlugin, methodNotAllowed, queryTextOf } from '#kernel'
import { type Caller, createAdmission } from './access.ts'
import { type Request, readRequest } from './asked.ts'
import type { DeliveryDeps } from './deps.ts'
import { notDelivered } from './errors.ts'
import { createKept } from './kept.ts'
import { findPlace, type Place } from './place.ts'
import { createContentReads, type Moved } from './routes/content.ts'
import { createMediaReads } from './routes/media.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the path names, and who reads it once that has been decided. */
    delivery: { readonly place: Place; readonly caller?: Caller } | null
  }
}

const OTHERS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const VARY = ['Accept-Language', 'Preview', 'Start-Item', 'Api-Key', 'X-API-Key', 'Authorization']
const JSON_TYPE = 'application/json; charset=utf-8'

/** Before the guard: what every answer of the mount says, refusals too (contract §10). */
export function opening(_request: FastifyRequest, reply: FastifyReply): void {
  for (const name of VARY) addVary(reply, name)
}

/** The mount of the interface: one route takes every path, and paths of items are whatever they are. */
export function deliveryRoutes(deps: DeliveryDeps): HttpPlugin {
  const { content } = deps
  const admission = createAdmission(deps)
  const kept = createKept(deps)
  const contentReads = createContentReads(deps)
  const mediaReads = createMediaReads(deps)

  return (app) => {
    app.decorateRequest('delivery', null)
    const config = { access: enter, ownKey }
    for (const url of ['/', '/*']) {
      app.route({ method: 'GET', url, config, onRequest: admit, handler })
      app.route({ method: OTHERS, url, config, onRequest: refuse, handler })
    }
  }

  /** Runs inside the guard, first of all: what is switched off is not there (contract §2). */
  function enter(request: FastifyRequest): 'none' {
    const place = findPlace(request)
    const { enabled, mediaEnabled } = deps.settings()
    request.usageEndpoint = place?.template ?? '(unmatched)'
    if (!enabled || !place || (place.part === 'media' && !mediaEnabled)) throw notDelivered()
    request.delivery = { place }
    return 'none'
  }

  function ownKey(request: FastifyRequest) {
    return admission.ownKey(request, request.delivery?.place.part ?? 'content')
  }

  async function admit(request: FastifyRequest): Promise<void> {
    const place = request.delivery?.place
    if (!place) throw notDelivered()
    request.delivery = { place, caller: await admission.admit(request, place.part) }
  }

  async function refuse(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
    throw methodNotAllowed(reply, ['GET', 'HEAD'])
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | string> {
    const { place, caller } = request.delivery ?? {}
    if (!place || !caller) throw notDelivered()
    reply.type(JSON_TYPE)
    const from: Request = {
      ...{ request, reply, caller, model: content.model(), settings: deps.settings() },
      query: queryTextOf(request),
    }
    let redirect: Moved | undefined
    const body = await kept(from, async () => {
      const found = await read(from, place)
      if ('text' in found) return found
      redirect = found
      return { text: '', typeNos: null }
    })
    return redirect ? sendMoved(reply, redirect) : body
  }

  function read(from: Request, { part, what }: Place): Promise<Read | Moved> {
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

/** Where an item has gone (contract §5). */
function sendMoved(reply: FastifyReply, { moved: { route } }: Moved): string {
  reply.code(301).removeHeader('etag').removeHeader('content-type')
  reply.headers({
    location: encodeURI(route.path),
    'location-start-item-path': encodeURI(route.startItem.path),
    'location-start-item-id': route.startItem.id,
  })
  return ''
}
