import send from '@fastify/send'
import type { FastifyReply } from 'fastify'
import type { HttpPlugin } from '#http'
import { notFound } from '#kernel'

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
    app.get<{ Params: { name: string } }>(
      '/:name',
      { config: { access: 'none', counted: false, etag: false, compress: false } },
      async ({ params: { name }, raw }, reply) => {
        if (!NAME.test(name)) throw notFound('file')
        // Who wants it checked again gets 304 all the same: bytes never change under their name.
        delete raw.headers['cache-control']
        const found = await send(raw, name, { root: directory, cacheControl: false })
        if (found.type === 'file') return sendFile(reply, name, found)
        if (found.statusCode !== 416) throw notFound('file')
        const { 'Content-Range': size = 'bytes */*' } = found.headers
        return reply.code(416).header('content-range', size).send(RANGE_OUTSIDE)
      },
    )
  }
}

function sendFile(
  reply: FastifyReply,
  name: string,
  { statusCode, headers, stream }: send.FileSendResult,
): FastifyReply {
  reply.code(statusCode).headers(headers)
  reply.header('cache-control', 'public, max-age=31536000, immutable')
  reply.header('x-content-type-options', 'nosniff')
  reply.header('content-security-policy', "default-src 'none'; sandbox")
  if (ACTIVE.test(name)) reply.header('content-disposition', 'attachment')
  return reply.send(stream)
}
