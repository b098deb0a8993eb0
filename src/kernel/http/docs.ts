import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsGzip } from './accept-encoding.ts'
import type { HttpPlugin } from './app.ts'
import { DOCS_POLICY, type Listed, renderDocsPage, renderDocsStart } from './docs-page.ts'
import { weakEtag } from './etag.ts'
import { sendHtml } from './html.ts'

interface Docs {
  readonly title: string
  /** The first is shown first. */
  readonly documents: readonly Listed[]
}

interface Bundle {
  readonly gzipped: Buffer
  readonly etag: string
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8'

/** `/docs`: the API reference, complete without the internet. */
export function docsPage({ title, documents }: Docs): HttpPlugin {
  const page = renderDocsPage(title, documents)
  const start = renderDocsStart(documents)
  // Made on first use and kept compressed: most processes are never asked for it.
  let bundle: Promise<Bundle> | undefined

  return (app) => {
    app.get('/docs', (_request, reply) => sendHtml(reply, page, DOCS_POLICY))
    app.get('/docs/start.js', (_request, reply) => sendScript(reply).send(start))
    app.get('/docs/reference.js', async (request, reply) => {
      bundle ??= loadBundle().catch((error) => {
        bundle = undefined
        throw error
      })
      return sendBundle(request, reply, await bundle)
    })
  }
}

function sendScript(reply: FastifyReply): FastifyReply {
  return reply
    .type(SCRIPT_TYPE)
    .header('cache-control', 'public, max-age=3600')
    .header('x-content-type-options', 'nosniff')
}

function sendBundle(request: FastifyRequest, reply: FastifyReply, { gzipped, etag }: Bundle) {
  sendScript(reply).header('etag', etag).header('vary', 'Accept-Encoding')
  if (acceptsGzip(request.headers['accept-encoding'])) {
    return reply.header('content-encoding', 'gzip').send(gzipped)
  }
  const plain = createGunzip()
  plain.end(gzipped)
  return reply.send(plain)
}

async function loadBundle(): Promise<Bundle> {
  const worker = new Worker(new URL(import.meta.resolve('#docs-thread')))
  try {
    const [bytes] = await once(worker, 'message')
    if (!(bytes instanceof Uint8Array)) throw new Error('the reference bundle is not bytes')
    const gzipped = Buffer.from(bytes)
    return { gzipped, etag: weakEtag(gzipped) }
  } finally {
    await worker.terminate()
  }
}
