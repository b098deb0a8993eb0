import { access } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError } from 'fastify'
import { type HttpPlugin, notFound } from '#kernel'

const NAME = /^[A-Za-z0-9]{32}\.[a-z0-9]{1,10}$/
/** What a browser would run if it opened it in place. */
const ACTIVE = /\.(html?|svg|xml|xhtml|mhtml)$/

const RANGE_OUTSIDE = {
  error: { code: 'range_not_satisfiable', message: 'The file ends before the range begins' },
}

/**
 * `GET /uploads/<hash><ext>`: public by its unguessable name, with ranges and tags. A file never
 * changes under its name, so caches may keep it for ever (content model §5).
 */
export function uploadsRoutes(directory: string): HttpPlugin {
  return async (app) => {
    await app.register(fastifyStatic, {
      root: directory,
      serve: false,
      cacheControl: false,
      setHeaders(reply, path) {
        reply.header('cache-control', 'public, max-age=31536000, immutable')
        reply.header('x-content-type-options', 'nosniff')
        reply.header('content-security-policy', "default-src 'none'; sandbox")
        if (ACTIVE.test(path)) reply.header('content-disposition', 'attachment')
      },
    })
    app.get<{ Params: { name: string } }>(
      '/:name',
      {
        config: { access: 'none', counted: false, etag: false, compress: false },
        errorHandler(error: FastifyError, _request, reply) {
          if (error.statusCode !== 416) throw error
          reply.code(416).send(RANGE_OUTSIDE)
        },
      },
      async ({ params, raw }, reply) => {
        if (!(await exists(params.name))) throw notFound('file')
        // Who wants it checked again gets 304 all the same: bytes never change under their name.
        delete raw.headers['cache-control']
        return reply.sendFile(params.name)
      },
    )
  }

  function exists(name: string): Promise<boolean> {
    if (!NAME.test(name)) return Promise.resolve(false)
    return access(join(directory, name)).then(
      () => true,
      () => false,
    )
  }
}
