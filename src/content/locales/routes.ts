import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { renderTime } from '#kernel'
import type { ContentModel, Locale } from '../model.ts'
import type { Locales } from './locales.ts'
import { LocaleChange, LocaleRecord, NewLocale } from './schemas.ts'

interface Deps {
  readonly locales: Locales
  model(): ContentModel
  /** What an earlier try of a request has made is in force here, too. */
  settle(): Promise<void>
}

const config = { access: 'admin' } as const
const tags = ['Locales']
const params = Type.Object({ code: Type.String() })
const One = Type.Object({ data: LocaleRecord })

/** Languages under `/api/v1` (content model §7). */
export function localeRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { locales, model, settle }: Deps): void {
  app.get(
    '/locales',
    {
      config,
      schema: {
        tags,
        summary: 'List languages',
        description: 'All languages of the store with their fallbacks. One of them is the default.',
        response: {
          200: Type.Object({
            data: Type.Array(LocaleRecord),
            meta: Type.Object({ total: Type.Integer() }),
          }),
        },
      },
    },
    async (_request, reply) => {
      const all = model().locales
      reply.header('x-total-count', all.length)
      return { data: all.map(renderLocale), meta: { total: all.length } }
    },
  )

  app.post(
    '/locales',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        summary: 'Add a language',
        description:
          'Entries of localised types can be written in it at once. `fallback` names the language that is shown where an entry has no translation.',
        body: NewLocale,
        response: { 201: One },
      },
    },
    async (request, reply) => {
      await once(request, (keep) => locales.create(request.body, keep))
      await settle()
      const locale = locales.get(request.body.code)
      reply.code(201).header('location', `/api/v1/locales/${locale.code}`)
      return { data: renderLocale(locale) }
    },
  )
}

function singleRoutes(app: HttpApp, { locales }: Deps): void {
  app.get(
    '/locales/:code',
    {
      config,
      schema: {
        tags,
        summary: 'Read a language',
        description:
          'One language by its code, such as `fr` or `pt-BR`. Unknown codes are answered with 404.',
        params,
        response: { 200: One },
      },
    },
    async (request) => ({ data: renderLocale(locales.get(request.params.code)) }),
  )

  app.patch(
    '/locales/:code',
    {
      config,
      schema: {
        tags,
        summary: 'Change a language',
        description:
          'Changes the members that are sent and leaves the others. Entries are not changed by it.',
        params,
        body: LocaleChange,
        response: { 200: One },
      },
    },
    async (request) => {
      const locale = await locales.update(request.params.code, request.body)
      return { data: renderLocale(locale) }
    },
  )

  app.delete(
    '/locales/:code',
    {
      config,
      schema: {
        tags,
        summary: 'Remove a language',
        description:
          'Removes a language that no entry has; with `force` also one that entries have. The default language cannot be removed.',
        params,
        querystring: Type.Object({ force: Type.Optional(Type.Boolean()) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await locales.remove(request.params.code, { force: request.query.force === true })
      reply.code(204)
    },
  )
}

function renderLocale({ createdAtMs, updatedAtMs, ...locale }: Locale) {
  return { ...locale, createdAt: renderTime(createdAtMs), updatedAt: renderTime(updatedAtMs) }
}
