import Type from 'typebox'
import { type HttpPlugin, once } from '#http'
import { answerList, listParameters, parseList } from '#paging'
import type { Pools } from '../pools.ts'
import { renderPool } from '../render.ts'
import * as schemas from '../schemas.ts'
import { forAdmins, PoolParams, type RouteDeps, unchecked } from './shared.ts'

interface Deps extends Pick<RouteDeps, 'origin'> {
  readonly pools: Pools
}

const tags = ['Proxy pools']

/** Scrapers contract §7. */
export function poolRoutes({ pools, origin }: Deps): HttpPlugin {
  return (app) => {
    app.post(
      '/proxy-pools',
      {
        ...unchecked,
        config: { ...forAdmins, idempotent: true },
        schema: {
          tags,
          summary: 'Create a proxy pool',
          description:
            'A pool is a named list of proxies that scrapers send their requests through. `strategy` says in which order they take turns.',
          body: schemas.NewPool,
          response: { 201: schemas.Pool },
        },
      },
      async (request, reply) => {
        const pool = await once(request, (keep) => pools.create(request.body, keep))
        reply.code(201).header('location', `/api/v1/proxy-pools/${encodeURIComponent(pool.name)}`)
        return renderPool(pool)
      },
    )

    app.get(
      '/proxy-pools',
      {
        config: forAdmins,
        schema: {
          ...{
            tags,
            summary: 'List proxy pools',
            description:
              'Pages of pools with masked passwords. Scrapers name a pool in `proxy_pool`.',
            querystring: listParameters([]),
          },
          response: { 200: schemas.listOf(schemas.Pool) },
        },
      },
      async (request, reply) => {
        const list = parseList(request, reply, { sorts: ['name'], filters: [] })
        const page = await pools.list(list)
        const { paging } = list
        return answerList(request, reply, {
          ...{ origin: origin(request), paging, page, render: renderPool },
        })
      },
    )

    app.get(
      '/proxy-pools/:name',
      {
        config: forAdmins,
        schema: {
          tags,
          summary: 'Read a proxy pool',
          description: 'One pool by name with its strategy and proxies. Passwords are masked.',
          params: PoolParams,
          response: { 200: schemas.Pool },
        },
      },
      async (request) => renderPool(await pools.get(request.params.name)),
    )

    app.patch(
      '/proxy-pools/:name',
      {
        ...unchecked,
        config: forAdmins,
        schema: {
          ...{
            tags,
            summary: 'Change a proxy pool',
            description:
              'Changes the members that are sent and leaves the others. Passwords that are sent back masked stay as they are stored.',
            params: PoolParams,
            body: schemas.PoolChange,
          },
          response: { 200: schemas.Pool },
        },
      },
      async (request) => renderPool(await pools.change(request.params.name, request.body)),
    )

    app.delete(
      '/proxy-pools/:name',
      {
        config: forAdmins,
        schema: {
          tags,
          summary: 'Delete a proxy pool',
          description:
            'Removes a pool that no scraper names. While one does, the answer is 409 `proxy_pool_in_use`.',
          params: PoolParams,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await pools.remove(request.params.name)
        return reply.code(204).send(null)
      },
    )
  }
}
