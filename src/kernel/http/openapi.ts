import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type {} from '@fastify/swagger'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from './app.ts'
import type { MountGuard, MountTable } from './mounts.ts'
import { type OpenApiSections, renderOpenApi } from './openapi-text.ts'
import { publicOrigin } from './origin.ts'

export interface OpenApiOptions {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Stands before the document as before any other read; the page that shows it is open. */
  readonly guard?: MountGuard
  readonly routeConfig?: FastifyContextConfig
  /** Where this reader sees us. */
  origin?(request: FastifyRequest): string
  /** What no route describes, for example the content types that exist at this moment. */
  readonly sections?: () => Promise<readonly OpenApiSections[]>
}

const OPENAPI_PATH = '/api/v1/openapi.json'

/** Must come before the routes: it writes down each one as it is registered. */
export async function collectRoutes(
  app: HttpApp,
  table: MountTable,
  { title, version, description = '' }: OpenApiOptions,
): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          basic: { type: 'http', scheme: 'basic' },
        },
      },
      security: [{ apiKey: [] }, { bearer: [] }],
    },
    // 3.1 knows `const`; rewriting it would only make the document longer.
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({
      schema: schema && table.isDescribed(url) ? schema : { hide: true },
      url,
    }),
  })
}

/** Needs no key (REST conventions §1.4), so it is not a route of the mount whose URL it has. */
export function openApiRoute({ sections, origin, routeConfig = {} }: OpenApiOptions): HttpPlugin {
  let kept: Kept | undefined
  return (app) => {
    app.get(OPENAPI_PATH, { config: routeConfig }, async (request, reply) => {
      const gzipped = await documentOf(app)
      // The address by which this reader reached us is one that works for them.
      const servers = [{ url: origin?.(request) ?? publicOrigin(request, undefined) }]
      const head = `{"servers":${JSON.stringify(servers)},`
      return reply
        .type('application/json; charset=utf-8')
        .send(Readable.from(unzipped(head, gzipped), { objectMode: false }))
    })
  }

  /** Made when it is asked for and something has changed, once for all who ask meanwhile. */
  async function documentOf(app: HttpApp): Promise<Buffer> {
    const parts = (await sections?.()) ?? []
    const revision = parts.map((part) => part.revision).join(' ')
    if (kept?.revision === revision) return kept.gzipped
    const gzipped = zipped(renderOpenApi(app.swagger(), parts))
    const own = { revision, gzipped }
    kept = own
    gzipped.catch(() => {
      if (kept === own) kept = undefined
    })
    return gzipped
  }
}

/** A hundredth of the text is kept: that of many types has ten megabytes. */
interface Kept {
  readonly revision: string
  readonly gzipped: Promise<Buffer>
}

async function zipped(text: AsyncIterable<string>): Promise<Buffer> {
  const gzip = createGzip()
  const [gzipped] = await Promise.all([buffer(gzip), pipeline(text, gzip)])
  return gzipped
}

async function* unzipped(head: string, gzipped: Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  const plain = createGunzip()
  plain.end(gzipped)
  yield* plain
}
