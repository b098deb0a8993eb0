import { Readable } from 'node:stream'
import send from '@fastify/send'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { notFound } from '#kernel'
import type { FileBytes, OpenedBytes } from './bytes/file-bytes.ts'
import { hashIn } from './bytes/names.ts'
import { parseRange } from './range.ts'

/** What a browser would run if it opened it in place. */
const ACTIVE = /\.(html?|svg|xml|xhtml|mhtml)$/

const RANGE_OUTSIDE = {
  error: { code: 'range_not_satisfiable', message: 'The file ends before the range begins' },
}

/**
 * `GET /uploads/<hash><ext>`: public by its unguessable name, with ranges and tags. A file never
 * changes under its name, so caches may keep it for ever (content model §5), and its name is its tag
 * on every node.
 */
export function uploadsRoutes(bytes: Pick<FileBytes, 'open'>): HttpPlugin {
  return async (app) => {
    app.get<{ Params: { name: string } }>(
      '/:name',
      { config: { access: 'none', counted: false, etag: false, compress: false } },
      async (request, reply) => {
        const { name } = request.params
        const file = hashIn(name) === undefined ? undefined : await bytes.open(name)
        if (!file) throw notFound('file')
        return sendFile(request, reply, name, file)
      },
    )
  }
}

function sendFile(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { sizeBytes, read }: OpenedBytes,
): FastifyReply {
  const etag = `"${name}"`
  reply.header('accept-ranges', 'bytes').header('etag', etag)
  reply.header('cache-control', 'public, max-age=31536000, immutable')
  reply.header('x-content-type-options', 'nosniff')
  reply.header('content-security-policy', "default-src 'none'; sandbox")
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  // For other methods than GET a range means nothing (RFC 9110 §14.2).
  const range = method === 'GET' ? parseRange(headers, etag, sizeBytes) : undefined
  if (range === 'outside') {
    // Kept for a year under this name, the refusal would stand in the way of the file.
    reply.header('cache-control', 'no-store').removeHeader('etag')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send(RANGE_OUTSIDE)
  }
  if (ACTIVE.test(name)) reply.header('content-disposition', 'attachment')
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${sizeBytes}`)
  reply.header('content-type', typeOf(name)).header('content-length', last - first + 1)
  const isWithout = method === 'HEAD' || last < first
  return reply.send(isWithout ? Readable.from([]) : read(first, last))
}

/** `*` and lists of tags, weak or strong: all that matters is that they have the bytes. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')))
}

/** The ending was given by what the bytes are. */
function typeOf(name: string): string {
  const type = send.mime.getType(name) ?? 'application/octet-stream'
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}
