import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after } from 'node:test'

interface Hit {
  readonly path: string
  readonly atMs: number
  readonly headers: IncomingMessage['headers']
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void

export interface Site {
  readonly url: string
  readonly hits: Hit[]
  /** Answers this path from now on; paths without a handler are pages of a tree, or 404. */
  on(path: string, handler: Handler): void
  /** Paths that were asked for, robots.txt left out. */
  paths(): string[]
  reset(): void
}

interface Options {
  /** Pages `/p/0` to `/p/<pages - 1>`, each with links to two others. */
  readonly pages?: number
  readonly host?: string
  readonly port?: number
}

/** A local site that ends with the test file. */
export async function startSite(options: Options = {}): Promise<Site> {
  const { pages = 20, host = '127.0.0.1' } = options
  const hits: Hit[] = []
  const handlers = new Map<string, Handler>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site')
    hits.push({
      path: url.pathname + url.search,
      atMs: performance.now(),
      headers: request.headers,
    })
    const handler = handlers.get(url.pathname)
    if (handler) return handler(request, response, url)
    const number = /^\/p\/(\d+)$/.exec(url.pathname)?.[1]
    if (number !== undefined && Number(number) < pages)
      return sendPage(response, Number(number), pages)
    response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here')
  })
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    hits,
    on: (path, handler) => void handlers.set(path, handler),
    paths: () => hits.map(({ path }) => path).filter((path) => path !== '/robots.txt'),
    reset() {
      hits.length = 0
      handlers.clear()
    },
  }
}

/** How late sites have noted a request at most since: what comes while this thread stands still comes all at once. */
export function watchLateness(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  return () => {
    delays.disable()
    return delays.max / 1e6
  }
}

function sendPage(response: ServerResponse, number: number, pages: number) {
  const links = [2 * number + 1, 2 * number + 2].filter((each) => each < pages)
  html(response, page({ title: `Page ${number}`, links: links.map((each) => `/p/${each}`) }))
}

interface Page {
  readonly title: string
  readonly links?: readonly string[]
  readonly head?: string
  readonly body?: string
}

const SENTENCE =
  'Every page of this site has some sentences, so that a reader finds its main part. '

export function page({ title, links = [], head = '', body = '' }: Page): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join('')
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>
    <nav>${anchors}</nav><article><h1>${title}</h1><p>${SENTENCE.repeat(6)}</p>${body}</article>
    </body></html>`
}

export function html(
  response: ServerResponse,
  text: string,
  headers: Record<string, string | string[]> = {},
) {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(text)
}

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  text: string | Buffer,
) {
  response.writeHead(status, { 'content-type': type }).end(text)
}
