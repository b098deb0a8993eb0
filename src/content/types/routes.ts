import Type, { type TSchema } from 'typebox'
import type { HttpPlugin } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { ChangeOptions, Definitions } from './definitions.ts'
import type { Impact } from './impact.ts'
import { renderComponent, renderType } from './render.ts'
import {
  Batch,
  ChangeParameters,
  Changes,
  ComponentChange,
  ComponentRecord,
  ContentTypeChange,
  ContentTypeRecord,
  NewComponent,
  NewContentType,
} from './schemas.ts'

interface Deps {
  readonly definitions: Definitions
  model(): ContentModel
}

const config = { access: 'admin' } as const
const creates = { ...config, idempotent: true } as const
const tags = ['Content types']

const dataOf = <S extends TSchema>(schema: S) => Type.Object({ data: schema })
const listOf = <S extends TSchema>(schema: S) =>
  Type.Object({ data: Type.Array(schema), meta: Type.Object({ total: Type.Integer() }) })

/** Definitions of types and components under `/api/v1` (content model §11). */
export function typeRoutes({ definitions, model }: Deps): HttpPlugin {
  return (app) => {
    app.get(
      '/content-types',
      { config, schema: { tags, response: { 200: listOf(ContentTypeRecord) } } },
      async (_request, reply) => {
        const { types } = model()
        reply.header('x-total-count', types.length)
        return { data: types.map(renderType), meta: { total: types.length } }
      },
    )

    app.post(
      '/content-types',
      {
        config: creates,
        schema: { tags, body: NewContentType, response: { 201: dataOf(ContentTypeRecord) } },
      },
      async (request, reply) => {
        const type = await definitions.createType(request.body)
        reply.code(201).header('location', `/api/v1/content-types/${type.singularName}`)
        return { data: renderType(type) }
      },
    )

    app.post(
      '/content-types/batch',
      {
        config: creates,
        schema: {
          tags,
          body: Batch,
          response: {
            201: dataOf(
              Type.Object({
                contentTypes: Type.Array(ContentTypeRecord),
                components: Type.Array(ComponentRecord),
              }),
            ),
          },
        },
      },
      async (request, reply) => {
        const made = await definitions.createBatch(request.body)
        reply.code(201)
        return {
          data: {
            contentTypes: made.contentTypes.map(renderType),
            components: made.components.map(renderComponent),
          },
        }
      },
    )

    app.get(
      '/content-types/:name',
      {
        config,
        schema: { tags, params: NameParams, response: { 200: dataOf(ContentTypeRecord) } },
      },
      async (request) => ({ data: renderType(definitions.getType(request.params.name)) }),
    )

    app.put(
      '/content-types/:name',
      {
        config,
        schema: {
          tags,
          params: NameParams,
          querystring: ChangeParameters,
          body: NewContentType,
          response: { 200: dataOf(Type.Union([ContentTypeRecord, Changes])) },
        },
      },
      async (request) => {
        const options = toOptions(request.query)
        const changed = await definitions.replaceType(request.params.name, request.body, options)
        return { data: shownType(changed, options) }
      },
    )

    app.patch(
      '/content-types/:name',
      {
        config,
        schema: {
          tags,
          params: NameParams,
          querystring: ChangeParameters,
          body: ContentTypeChange,
          response: { 200: dataOf(Type.Union([ContentTypeRecord, Changes])) },
        },
      },
      async (request) => {
        const options = toOptions(request.query)
        const changed = await definitions.mergeType(request.params.name, request.body, options)
        return { data: shownType(changed, options) }
      },
    )

    app.delete(
      '/content-types/:name',
      {
        config,
        schema: {
          tags,
          params: NameParams,
          querystring: ChangeParameters,
          response: { 200: dataOf(Changes), 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const options = toOptions(request.query)
        const impacts = await definitions.removeType(request.params.name, options)
        if (options.dryRun) return { data: { changes: [...impacts] } }
        return reply.code(204).send(null)
      },
    )

    function shownType({ impacts, singularName }: ChangedType, { dryRun }: ChangeOptions) {
      return dryRun ? { changes: [...impacts] } : renderType(definitions.getType(singularName))
    }
  }
}

/** The same for components. */
export function componentRoutes({ definitions, model }: Deps): HttpPlugin {
  return (app) => {
    app.get(
      '/components',
      { config, schema: { tags, response: { 200: listOf(ComponentRecord) } } },
      async (_request, reply) => {
        const { components } = model()
        reply.header('x-total-count', components.length)
        return { data: components.map(renderComponent), meta: { total: components.length } }
      },
    )

    app.post(
      '/components',
      {
        config: creates,
        schema: { tags, body: NewComponent, response: { 201: dataOf(ComponentRecord) } },
      },
      async (request, reply) => {
        const component = await definitions.createComponent(request.body)
        reply.code(201).header('location', `/api/v1/components/${component.uid}`)
        return { data: renderComponent(component) }
      },
    )

    app.get(
      '/components/:uid',
      { config, schema: { tags, params: UidParams, response: { 200: dataOf(ComponentRecord) } } },
      async (request) => ({ data: renderComponent(definitions.getComponent(request.params.uid)) }),
    )

    app.put(
      '/components/:uid',
      {
        config,
        schema: {
          tags,
          params: UidParams,
          querystring: ChangeParameters,
          body: NewComponent,
          response: { 200: dataOf(Type.Union([ComponentRecord, Changes])) },
        },
      },
      async (request) => {
        const options = toOptions(request.query)
        const changed = await definitions.replaceComponent(
          request.params.uid,
          request.body,
          options,
        )
        return { data: shownComponent(changed, options) }
      },
    )

    app.patch(
      '/components/:uid',
      {
        config,
        schema: {
          tags,
          params: UidParams,
          querystring: ChangeParameters,
          body: ComponentChange,
          response: { 200: dataOf(Type.Union([ComponentRecord, Changes])) },
        },
      },
      async (request) => {
        const options = toOptions(request.query)
        const changed = await definitions.mergeComponent(request.params.uid, request.body, options)
        return { data: shownComponent(changed, options) }
      },
    )

    app.delete(
      '/components/:uid',
      {
        config,
        schema: {
          tags,
          params: UidParams,
          querystring: ChangeParameters,
          response: { 200: dataOf(Changes), 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const options = toOptions(request.query)
        const impacts = await definitions.removeComponent(request.params.uid, options)
        if (options.dryRun) return { data: { changes: [...impacts] } }
        return reply.code(204).send(null)
      },
    )

    function shownComponent({ impacts, uid }: ChangedComponent, { dryRun }: ChangeOptions) {
      return dryRun ? { changes: [...impacts] } : renderComponent(definitions.getComponent(uid))
    }
  }
}

interface ChangedType {
  readonly impacts: readonly Impact[]
  readonly singularName: string
}

interface ChangedComponent {
  readonly impacts: readonly Impact[]
  readonly uid: string
}

function toOptions(query: { dry_run?: boolean; force?: boolean }): ChangeOptions {
  return { dryRun: query.dry_run === true, force: query.force === true }
}

const NameParams = Type.Object({ name: Type.String() })
const UidParams = Type.Object({ uid: Type.String() })
