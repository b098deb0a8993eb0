import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteAccess } from '#access'
import { useForms } from '#content-media'
import { levelFor, type Operation } from '#content-query'
import { type HttpApp, methodNotAllowed } from '#http'
import { addVary, queryTextOf } from '#http-text'
import { notFound, renderTime } from '#kernel'
import type { CmsDeps } from './deps.ts'
import { type Action, METHODS, methodOf, refuseOthers, sendJson } from './request.ts'

export type { CmsDeps } from './deps.ts'

import { createReads } from './read.ts'
import { cmsDocument } from './routes/openapi.ts'
import { uploadRoutes } from './routes/upload.ts'
import {
  endpointOf,
  type Located,
  locate,
  type Target,
  unknownCollection,
  VARIANTS,
} from './target.ts'
import { createWrites } from './write.ts'

type Actions = Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Action>>>

/** Read only, and made by the content store. */
const SCHEMA_PATHS = ['content-types', 'components'].flatMap((noun) => [
  `/content-type-builder/${noun}`,
  `/content-type-builder/${noun}/:uid`,
])
const LOCALES = '/i18n/locales'
const PATHS = ['/:collection', '/:collection/:id', `/:collection/:id/${VARIANTS}`]
const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...{ GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' },
}
const VARY = 'Accept, Authorization, X-API-Key, Response-Format'

/** The mount of `/api`: whatever no other interface owns there is a content type or unknown. */
export function createCms(deps: CmsDeps) {
  const { content } = deps
  const reads = createReads(deps)
  const writes = createWrites(deps)
  const actions: Record<Target, Actions> = {
    collection: { GET: reads.list, POST: writes.create },
    entry: { GET: reads.one, PUT: writes.update, DELETE: writes.remove },
    variants: { POST: writes.addVariant },
    single: { GET: reads.single, PUT: writes.putSingle, DELETE: writes.removeSingle },
    singleVariants: { POST: writes.addVariantOfSingle },
  }
  const cache = { headers: ['response-format'], seen: seenBy }
  return { onRequest, plugin, document: cmsDocument(deps) }

  /** Answers differ by these headers, refusals too; usage is told apart by collection. */
  function onRequest(request: FastifyRequest, reply: FastifyReply): void {
    addVary(reply, VARY)
    const model = content.model()
    const located = locate(model, request)
    request.cms = { model, located }
    if (located) request.usageEndpoint = endpointOf(located)
  }

  async function plugin(app: HttpApp): Promise<void> {
    app.decorateRequest('cms', null)
    app.get(LOCALES, { config: { access: 'none' } }, locales)
    for (const url of [LOCALES, ...SCHEMA_PATHS]) refuseOthers(app, url, ['GET'])
    for (const url of PATHS) {
      app.route({ method: 'GET', url, config: { access: accessOf, cache }, handler })
    }
    // Apart, because forms cost every request of their scope. Not awaited: it must be filled after the
    // mount, whose last hooks it would miss otherwise.
    app.register(writeRoutes)
  }

  async function locales(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const shown = content.model().locales.map(({ id, code, name, isDefault, ...times }) => ({
      ...{ id, code, name, isDefault },
      createdAt: renderTime(times.createdAtMs),
      updatedAt: renderTime(times.updatedAtMs),
    }))
    return sendJson(request, reply, JSON.stringify(shown))
  }

  async function writeRoutes(app: HttpApp): Promise<void> {
    await useForms(app, content.media)
    await uploadRoutes(deps)(app)
    const method = METHODS.filter((each) => each !== 'GET')
    for (const url of PATHS) app.route({ method, url, config: { access: accessOf }, handler })
  }

  /** Who may not have it is told so only where there is something to have. */
  function accessOf(request: FastifyRequest): RouteAccess {
    const found = request.cms?.located
    const method = methodOf(request)
    if (!found || !actionOf(found, method)) return 'none'
    const level = levelFor(found.type, OPERATIONS[method] ?? 'create')
    return level === 'none' && method !== 'GET' ? 'form' : level
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    if (!request.cms) throw notFound()
    const { model, located: found } = request.cms
    if (!found) throw unknownCollection(model, request)
    const action = actionOf(found, methodOf(request))
    if (!action) throw methodNotAllowed(reply, allowedOf(actions[found.target]))
    const { type, id } = found
    const query = queryTextOf(request)
    const body = await action({ request, reply, model, type, id, query })
    return sendJson(request, reply, body)
  }

  function seenBy({ cms }: FastifyRequest): string | undefined {
    return cms?.located && `${cms.model.revision} ${deps.maxDepth()}`
  }

  function actionOf({ target }: Located, method: string): Action | undefined {
    const known: Readonly<Record<string, Action | undefined>> = actions[target]
    return known[method]
  }
}

function allowedOf(actions: Actions): string[] {
  return Object.keys(actions).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}
