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
  ImportReport,
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
const isChanged = { params: NameParams, querystring: ChangeParameters } as const

/** What the reference says of an operation: a title and two sentences. */
const words = (summary: string, description: string) => ({ tags, summary, description })
type Words = ReturnType<typeof words>

const lists = <R extends TSchema>(record: R, said: Words) => {
  const page = Type.Object({
    data: Type.Array(record),
    meta: Type.Object({ total: Type.Integer() }),
  })
  return { config, schema: { ...said, response: { 200: page } } }
}

const makes = <B extends TSchema, R extends TSchema>(body: B, record: R, said: Words) => ({
  config: { ...config, idempotent: true } as const,
  schema: { ...said, body, response: { 201: dataOf(record) } },
})

const shows = <R extends TSchema>(record: R, said: Words) => ({
  config,
  schema: { ...said, params: NameParams, response: { 200: dataOf(record) } },
})

/** A dry run answers with what would change. */
const changes = <B extends TSchema, R extends TSchema>(body: B, record: R, said: Words) => ({
  config,
  schema: {
    ...isChanged,
    ...said,
    body,
    response: { 200: dataOf(Type.Union([record, Changes])), 202: dataOf(record) },
  },
})

const removes = (said: Words) => ({
  config,
  schema: { ...isChanged, ...said, response: { 200: dataOf(Changes), 204: Type.Null() } },
})

/** Schema files are as long as their authors made them. */
const IMPORT_BYTES = 10 * 1024 * 1024

const imports = {
  config,
  bodyLimit: IMPORT_BYTES,
  schema: {
    ...words(
      'Import schema files',
      'Takes over `schema.json` files of the well-known headless CMS as they are: a list of them, `{ contentTypes, components }`, or `{ files }` by path. What is here already gets their attributes besides its own, and what has no counterpart is named in `notes`.',
    ),
    querystring: ChangeParameters,
    body: Type.Unknown({
      description:
        'A list of schema files as they are, { contentTypes, components }, or { files } by path',
    }),
    response: { 200: dataOf(ImportReport), 201: dataOf(ImportReport) },
  },
}

const BatchRecord = Type.Object({
  contentTypes: Type.Array(ContentTypeRecord),
  components: Type.Array(ComponentRecord),
})

/** Definitions of types and components under `/api/v1` (content model §11). */
export function typeRoutes({ definitions, model, settle }: Deps): HttpPlugin {
  return (app) => {
    app.get(
      '/content-types',
      lists(
        ContentTypeRecord,
        words(
          'List content types',
          'All content types with their attributes, in the order in which they were made. What is being changed step by step says so in `changing`.',
        ),
      ),
      async (_request, reply) => listed(reply, model().types.map(renderType)),
    )

    app.post(
      '/content-types',
      makes(
        NewContentType,
        ContentTypeRecord,
        words(
          'Create a content type',
          'Defines a type; every interface serves it from then on. Its names must be free, and its attributes are checked one by one.',
        ),
      ),
      async (request, reply) => {
        await once(request, (keep) => definitions.createType(request.body, keep))
        await settle()
        const type = definitions.getType(request.body.singularName)
        reply.code(201).header('location', `/api/v1/content-types/${type.singularName}`)
        return { data: renderType(type) }
      },
    )

    app.post(
      '/content-types/batch',
      makes(
        Batch,
        BatchRecord,
        words(
          'Create many content types and components',
          'Defines types and components that belong together, all or none. Relations may lead from one of them to another.',
        ),
      ),
      async (request, reply) => {
        await once(request, (keep) => definitions.createBatch(request.body, keep))
        await settle()
        reply.code(201)
        return { data: rendered(request.body) }
      },
    )

    app.post('/content-types/import', imports, async (request, reply) => {
      const options = toOptions(request.query)
      const report = await definitions.importSchemas(request.body, options)
      if (!options.dryRun) await settle()
      reply.code(options.dryRun ? 200 : 201)
      return { data: report }
    })

    app.get(
      '/content-types/:name',
      shows(
        ContentTypeRecord,
        words(
          'Read a content type',
          'One definition by singular name, plural name or uid. It can be sent back to change it.',
        ),
      ),
      async ({ params }) => ({
        data: renderType(definitions.getType(params.name)),
      }),
    )

    const replaces = changes(
      NewContentType,
      ContentTypeRecord,
      words(
        'Replace a content type',
        'Sets the whole definition; attributes that are not in it are removed. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.',
      ),
    )
    app.put('/content-types/:name', replaces, async ({ params, body, query, log }, reply) => {
      const options = toOptions(query)
      const changing = definitions.replaceType(params.name, body, options)
      const changed = await (options.dryRun ? changing : soon(changing, log))
      if (!changed) return underWay(reply, params.name)
      return { data: shown(changed, options) }
    })

    const merges = changes(
      ContentTypeChange,
      ContentTypeRecord,
      words(
        'Change a content type',
        'Changes the members that are sent; an attribute that is null is removed, `renamedFrom` keeps the values of another. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.',
      ),
    )
    app.patch('/content-types/:name', merges, async ({ params, body, query, log }, reply) => {
      const options = toOptions(query)
      const changing = definitions.mergeType(params.name, body, options)
      const changed = await (options.dryRun ? changing : soon(changing, log))
      if (!changed) return underWay(reply, params.name)
      return { data: shown(changed, options) }
    })

    app.delete(
      '/content-types/:name',
      removes(
        words(
          'Delete a content type',
          'Removes the type with all its entries, which needs `force` when there are any. With `dry_run` nothing happens and the answer says what would.',
        ),
      ),
      async ({ params, query }, reply) => {
        const options = toOptions(query)
        return removed(reply, await definitions.removeType(params.name, options), options)
      },
    )
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
    app.get(
      '/components',
      lists(
        ComponentRecord,
        words(
          'List components',
          'All components with their attributes. Types name them by `<category>.<name>`.',
        ),
      ),
      async (_request, reply) => listed(reply, model().components.map(renderComponent)),
    )

    app.post(
      '/components',
      makes(
        NewComponent,
        ComponentRecord,
        words(
          'Create a component',
          'Defines a part that entries of several types can have. Types use it in attributes of the kind `component`.',
        ),
      ),
      async (request, reply) => {
        await once(request, (keep) => definitions.createComponent(request.body, keep))
        await settle()
        const component = definitions.getComponent(uidOf(request.body))
        reply.code(201).header('location', `/api/v1/components/${component.uid}`)
        return { data: renderComponent(component) }
      },
    )

    app.get(
      '/components/:name',
      shows(
        ComponentRecord,
        words(
          'Read a component',
          'One definition by `<category>.<name>`. It can be sent back to change it.',
        ),
      ),
      async ({ params }) => ({
        data: renderComponent(definitions.getComponent(params.name)),
      }),
    )

    const replaces = changes(
      NewComponent,
      ComponentRecord,
      words(
        'Replace a component',
        'Sets the whole definition for every type that uses it. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.',
      ),
    )
    app.put('/components/:name', replaces, async ({ params, body, query }) => {
      const options = toOptions(query)
      const changed = await definitions.replaceComponent(params.name, body, options)
      return { data: shown(changed, options) }
    })

    const merges = changes(
      ComponentChange,
      ComponentRecord,
      words(
        'Change a component',
        'Changes the members that are sent for every type that uses it. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.',
      ),
    )
    app.patch('/components/:name', merges, async ({ params, body, query }) => {
      const options = toOptions(query)
      return { data: shown(await definitions.mergeComponent(params.name, body, options), options) }
    })

    app.delete(
      '/components/:name',
      removes(
        words(
          'Delete a component',
          'Removes a component that no type uses. With `dry_run` nothing happens and the answer says what would.',
        ),
      ),
      async ({ params, query }, reply) => {
        const options = toOptions(query)
        return removed(reply, await definitions.removeComponent(params.name, options), options)
      },
    )
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
