import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type HttpPlugin, once } from '#http'
import type { ContentModel } from '../model.ts'
import type { ChangeOptions, Definitions } from './definitions.ts'
import type { Impact } from './impact.ts'
import { renderComponent, renderType } from './render.ts'
import {
  Batch,
  type BatchBody,
  ChangeParameters,
  Changes,
  ComponentChange,
  ComponentRecord,
  ContentTypeChange,
  ContentTypeRecord,
  NewComponent,
  type NewComponentBody,
  NewContentType,
} from './schemas.ts'

interface Deps {
  readonly definitions: Definitions
  model(): ContentModel
  /** What an earlier try of a request has made is in force here, too. */
  settle(): Promise<void>
}

const config = { access: 'admin' } as const
const tags = ['Content types']

const dataOf = <S extends TSchema>(schema: S) => Type.Object({ data: schema })
const NameParams = Type.Object({ name: Type.String() })
const isChanged = { tags, params: NameParams, querystring: ChangeParameters } as const

const lists = <R extends TSchema>(record: R) => {
  const page = Type.Object({
    data: Type.Array(record),
    meta: Type.Object({ total: Type.Integer() }),
  })
  return { config, schema: { tags, response: { 200: page } } }
}

const makes = <B extends TSchema, R extends TSchema>(body: B, record: R) => ({
  config: { ...config, idempotent: true } as const,
  schema: { tags, body, response: { 201: dataOf(record) } },
})

const shows = <R extends TSchema>(record: R) => ({
  config,
  schema: { tags, params: NameParams, response: { 200: dataOf(record) } },
})

/** A dry run answers with what would change. */
const changes = <B extends TSchema, R extends TSchema>(body: B, record: R) => ({
  config,
  schema: {
    ...isChanged,
    body,
    response: { 200: dataOf(Type.Union([record, Changes])), 202: dataOf(record) },
  },
})

const removes = {
  config,
  schema: { ...isChanged, response: { 200: dataOf(Changes), 204: Type.Null() } },
}

const BatchRecord = Type.Object({
  contentTypes: Type.Array(ContentTypeRecord),
  components: Type.Array(ComponentRecord),
})

/** Definitions of types and components under `/api/v1` (content model §11). */
export function typeRoutes({ definitions, model, settle }: Deps): HttpPlugin {
  return (app) => {
    app.get('/content-types', lists(ContentTypeRecord), async (_request, reply) =>
      listed(reply, model().types.map(renderType)),
    )

    app.post('/content-types', makes(NewContentType, ContentTypeRecord), async (request, reply) => {
      await once(request, (keep) => definitions.createType(request.body, keep))
      await settle()
      const type = definitions.getType(request.body.singularName)
      reply.code(201).header('location', `/api/v1/content-types/${type.singularName}`)
      return { data: renderType(type) }
    })

    app.post('/content-types/batch', makes(Batch, BatchRecord), async (request, reply) => {
      await once(request, (keep) => definitions.createBatch(request.body, keep))
      await settle()
      reply.code(201)
      return { data: rendered(request.body) }
    })

    app.get('/content-types/:name', shows(ContentTypeRecord), async ({ params }) => ({
      data: renderType(definitions.getType(params.name)),
    }))

    const replaces = changes(NewContentType, ContentTypeRecord)
    app.put('/content-types/:name', replaces, async ({ params, body, query, log }, reply) => {
      const options = toOptions(query)
      const changing = definitions.replaceType(params.name, body, options)
      const changed = await (options.dryRun ? changing : soon(changing, log))
      if (!changed) return underWay(reply, params.name)
      return { data: shown(changed, options) }
    })

    const merges = changes(ContentTypeChange, ContentTypeRecord)
    app.patch('/content-types/:name', merges, async ({ params, body, query, log }, reply) => {
      const options = toOptions(query)
      const changing = definitions.mergeType(params.name, body, options)
      const changed = await (options.dryRun ? changing : soon(changing, log))
      if (!changed) return underWay(reply, params.name)
      return { data: shown(changed, options) }
    })

    app.delete('/content-types/:name', removes, async ({ params, query }, reply) => {
      const options = toOptions(query)
      return removed(reply, await definitions.removeType(params.name, options), options)
    })
  }

  /** The old definition holds until the change is done, and says of what it is. */
  function underWay(reply: FastifyReply, name: string) {
    reply.code(202)
    return { data: renderType(definitions.getType(name)) }
  }

  function rendered({ contentTypes = [], components = [] }: BatchBody) {
    const types = contentTypes.map(({ singularName }) => definitions.getType(singularName))
    const made = components.map((body) => definitions.getComponent(uidOf(body)))
    return { contentTypes: types.map(renderType), components: made.map(renderComponent) }
  }

  function shown({ impacts, singularName }: ChangedType, { dryRun }: ChangeOptions) {
    return dryRun ? { changes: [...impacts] } : renderType(definitions.getType(singularName))
  }
}

/** The same for components. */
export function componentRoutes({ definitions, model, settle }: Deps): HttpPlugin {
  return (app) => {
    app.get('/components', lists(ComponentRecord), async (_request, reply) =>
      listed(reply, model().components.map(renderComponent)),
    )

    app.post('/components', makes(NewComponent, ComponentRecord), async (request, reply) => {
      await once(request, (keep) => definitions.createComponent(request.body, keep))
      await settle()
      const component = definitions.getComponent(uidOf(request.body))
      reply.code(201).header('location', `/api/v1/components/${component.uid}`)
      return { data: renderComponent(component) }
    })

    app.get('/components/:name', shows(ComponentRecord), async ({ params }) => ({
      data: renderComponent(definitions.getComponent(params.name)),
    }))

    const replaces = changes(NewComponent, ComponentRecord)
    app.put('/components/:name', replaces, async ({ params, body, query }) => {
      const options = toOptions(query)
      const changed = await definitions.replaceComponent(params.name, body, options)
      return { data: shown(changed, options) }
    })

    const merges = changes(ComponentChange, ComponentRecord)
    app.patch('/components/:name', merges, async ({ params, body, query }) => {
      const options = toOptions(query)
      return { data: shown(await definitions.mergeComponent(params.name, body, options), options) }
    })

    app.delete('/components/:name', removes, async ({ params, query }, reply) => {
      const options = toOptions(query)
      return removed(reply, await definitions.removeComponent(params.name, options), options)
    })
  }

  function shown({ impacts, uid }: ChangedComponent, { dryRun }: ChangeOptions) {
    return dryRun ? { changes: [...impacts] } : renderComponent(definitions.getComponent(uid))
  }
}

/** Clients and proxies do not wait for ever. */
const ANSWER_WITHIN_MS = 25_000

/** Undefined when it takes longer; it goes on, and what comes of it is logged. */
async function soon<T>(work: Promise<T>, log: FastifyBaseLogger): Promise<T | undefined> {
  let isLate = false
  work.catch((error: unknown) => {
    if (isLate) log.warn({ err: error }, 'a change of a content type failed after it was answered')
  })
  const waiting = new AbortController()
  const late = setTimeout(ANSWER_WITHIN_MS, undefined, { signal: waiting.signal, ref: false })
  try {
    return await Promise.race([work, late.catch(() => undefined)])
  } finally {
    isLate = true
    waiting.abort()
  }
}

function uidOf({ category = 'default', name }: NewComponentBody): string {
  return `${category}.${name}`
}

interface ChangedType {
  readonly impacts: readonly Impact[]
  readonly singularName: string
}

interface ChangedComponent {
  readonly impacts: readonly Impact[]
  readonly uid: string
}

function listed<Shown>(reply: FastifyReply, data: Shown[]) {
  reply.header('x-total-count', data.length)
  return { data, meta: { total: data.length } }
}

function removed(reply: FastifyReply, impacts: readonly Impact[], { dryRun }: ChangeOptions) {
  if (dryRun) return { data: { changes: [...impacts] } }
  reply.code(204)
  return null
}

function toOptions(query: { dry_run?: boolean; force?: boolean }): ChangeOptions {
  return { dryRun: query.dry_run === true, force: query.force === true }
}
