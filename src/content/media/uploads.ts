import fastifyStatic from '@fastify/static'
import { type HttpPlugin, notFound } from '#kernel'

const NAME = /^[A-Za-z0-9]{32}\.[a-z0-9]{1,10}$/
/** What a browser would run if it opened it in place. */
const ACTIVE = /\.(html?|svg|xml|xhtml|mhtml)$/

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
      { config: { access: 'none', counted: false, etag: false, compress: false } },
      async ({ params }, reply) => {
        if (!NAME.test(params.name)) throw notFound('file')
        return reply.sendFile(params.name)
      },
    )
  }
}
