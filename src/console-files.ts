import { access, open } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { negotiate } from '#http-text'
import { DomainError } from '#kernel'

/** Beside the built server, and in `dist/` of a checkout that runs from its sources. */
const FOLDERS = ['../console/', '../dist/console/'].map((path) => new URL(path, import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
}
const SUFFIXES = { br: '.br', gzip: '.gz' } as const
/** Styles may be written into the page: the component library sets sizes that way. Scripts may not. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** As files are called when they are built: no path can be made out of a parameter. What is compressed is asked for without it. */
const NAME = /^\w[\w.-]*(?<!\.br|\.gz)$/

/**
 * `/console/`: the web page. Files are read from disk whenever they are asked for, so an idle server
 * holds none of them. Every path that is no file is a screen and gets the page.
 */
export function consoleFiles(): HttpPlugin {
  let found: Promise<URL> | undefined
  return (app) => {
    app.get('/', sendPage)
    app.get('/*', sendPage)
    app.get('/assets/:name', async (request, reply) => {
      const { name }: { name?: unknown } = Object(request.params)
      if (typeof name !== 'string' || !NAME.test(name)) throw noSuchFile()
      // The name changes with the content.
      reply.header('cache-control', 'public, max-age=31536000, immutable')
      return sendFile(request, reply, new URL(`assets/${name}`, await folder()))
    })
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply) {
    reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
    return sendFile(request, reply, new URL('index.html', await folder()))
  }

  /** Looked for once; again only while it is not there. */
  function folder(): Promise<URL> {
    found ??= findBuilt().catch((error) => {
      found = undefined
      throw error
    })
    return found
  }
}

/** As compressed when it was built. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, file: URL) {
  const { coding } = negotiate(String(request.headers['accept-encoding'] ?? ''))
  const path = `${fileURLToPath(file)}${coding ? SUFFIXES[coding] : ''}`
  const handle = await open(path).catch(() => {
    throw noSuchFile()
  })
  const { size } = await handle.stat()
  if (coding) reply.header('content-encoding', coding)
  return reply
    .type(TYPES[extname(file.pathname)] ?? 'application/octet-stream')
    .header('content-length', size)
    .header('vary', 'Accept-Encoding')
    .header('x-content-type-options', 'nosniff')
    .send(handle.createReadStream())
}

async function findBuilt(): Promise<URL> {
  for (const folder of FOLDERS) {
    const isBuilt = await access(new URL('built-from', folder)).then(
      () => true,
      () => false,
    )
    if (isBuilt) return folder
  }
  const message = 'The console is not built. Run "node scripts/build.mjs" in the checkout once.'
  throw new DomainError('unavailable', 'console_not_built', message)
}

function noSuchFile(): DomainError {
  return new DomainError('not_found', 'route_not_found', 'The console has no such file')
}
