import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteAccess } from '#access'
import { type Entry, type Viewer, viewerOf } from '#content'
import { workingCopies } from '#content-dialect'
import type { ContentModel } from '#content-model'
import { type FoundPath, mayRead } from '#content-query'
import type { HttpPlugin, RenderError } from '#http'
import { renderError } from '#http-text'
import { DomainError, hasAccess } from '#kernel'
import type { JsonApiDeps } from '../deps.ts'
import { localeChoice } from '../request.ts'
import { catalogueOf } from '../target/catalogue.ts'

const EVERYBODY: Viewer = { level: 'admin' }

/** From the path of a page to the resource behind it (contract §9), below `/router`. */
export function translatePathRoutes(deps: JsonApiDeps): HttpPlugin {
  const { content, settings, origin } = deps
  return (app) => {
    app.get('/translate-path', { config: { access: accessOf } }, translate)
  }

  function accessOf(): RouteAccess {
    return settings().publicRead ? 'none' : 'read'
  }

  async function translate(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const host = origin(request)
    const path = pathIn(request, host)
    const model = content.model()
    const asked = splitLanguage(model, path)
    const viewer = viewerOf(request)
    const found = choose(await content.findPath(asked.path), asked.locale ?? model.defaultLocale)
    if (!found || !mayRead(viewer, found.type)) throw unresolved(path)
    const entry = await find(viewer, model, found)
    reply.type('application/json; charset=utf-8')
    return JSON.stringify(render(model, host, asked.prefix, path, found, entry))
  }

  async function find(viewer: Viewer, model: ContentModel, found: FoundPath): Promise<Entry> {
    const { type, documentId } = found
    const locale = localeChoice(model, found.locale ?? model.defaultLocale)
    const target = { documentId, locale: null }
    const query = workingCopies(type, locale)
    const live = await content.findOne(viewer, { ...query, state: 'live' }, target)
    if (live) return live
    const draft = await content.findOne(EVERYBODY, query, target)
    if (!draft) throw unresolved(found.path)
    if (viewer.level !== null && hasAccess({ access: viewer.level }, 'write')) return draft
    throw new DomainError('forbidden', 'forbidden', 'The page is not published')
  }
}

function render(
  model: ContentModel,
  host: string,
  prefix: string,
  path: string,
  found: FoundPath,
  entry: Entry,
) {
  const { type, documentId } = found
  const names = catalogueOf(model).namesOf(type)
  const own = `${prefix}${entry.path ?? found.path}`
  const canonical = `${host}${own}`
  const label = names.labelField === null ? null : (entry.values()[names.labelField] ?? null)
  const moved = { redirect: [{ from: path, to: own, status: '301' }] }
  return {
    ...(found.isFormer ? moved : {}),
    resolved: canonical,
    isHomePath: entry.isRoot,
    label,
    entity: {
      canonical,
      type: type.entityType,
      bundle: type.bundle,
      id: String(entry.id),
      uuid: documentId,
      langcode: entry.locale ?? model.defaultLocale,
      path: own,
    },
    jsonapi: {
      individual: `${host}${prefix}/jsonapi${names.path}/${documentId}`,
      resourceName: names.name,
      pathPrefix: 'jsonapi',
      basePath: '/jsonapi',
      entryPoint: `${host}${prefix}/jsonapi`,
    },
  }
}

function pathIn({ query }: FastifyRequest, host: string): string {
  const given = new Map<string, unknown>(Object.entries(query ?? {})).get('path')
  if (Array.isArray(given)) {
    throw new DomainError('invalid', 'path_twice', 'The parameter path must be given once')
  }
  if (typeof given !== 'string' || given === '') {
    throw new DomainError('invalid', 'path_required', 'The parameter path is missing')
  }
  const isOwn = given === host || given.startsWith(`${host}/`)
  const local = isOwn ? given.slice(host.length) : given
  const [path = ''] = local.split(/[?#]/, 1)
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) throw unresolved(given)
  // Clients join the segments of a route, and most leave the first slash out.
  return `/${path.replace(/^\/+|\/+$/g, '')}`
}

/** `/da/articles/x` asks for the Danish page. */
function splitLanguage(model: ContentModel, path: string) {
  const [, tag = ''] = /^\/([^/]+)(?=\/|$)/.exec(path) ?? []
  const locale = model.findLocale(tag)?.code
  if (locale === undefined) return { path: path.toLowerCase(), locale: undefined, prefix: '' }
  const rest = path.slice(tag.length + 1)
  return { path: (rest === '' ? '/' : rest).toLowerCase(), locale, prefix: `/${tag}` }
}

/** The page in the language asked for, else in any: what is there is shown. */
function choose(found: readonly FoundPath[], locale: string): FoundPath | undefined {
  return found.find((each) => each.locale === locale || each.locale === null) ?? found[0]
}

function unresolved(path: string): DomainError {
  return new DomainError('not_found', 'path_not_found', `Unable to resolve path ${path}`, {
    facts: { details: 'There is nothing at this path, and nothing has been' },
  })
}

/** `message` is what clients of path translation read. */
export const renderPathError: RenderError = (error, context) => {
  const rendered = renderError(error, context)
  const { details = error.message } = error.facts
  return { ...rendered, body: { message: error.message, details } }
}
