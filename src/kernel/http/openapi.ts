import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type {} from '@fastify/swagger'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from './app.ts'
import type { Listed } from './docs-page.ts'
import type { MountGuard, MountTable } from './mounts.ts'
import type { ErrorBody, ExampleOf } from './openapi-operations.ts'
import { type OpenApiBase, type OpenApiSections, renderOpenApi } from './openapi-text.ts'
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
  /** Of interfaces whose routes have no schemas. */
  readonly documents?: readonly OpenApiDocument[]
  /** Examples for the document at this path; read when it is made. */
  examplesOf?(path: string): Promise<ExampleOf>
  /** Documents that are served elsewhere and named on the page, too. */
  readonly others?: readonly Listed[]
}

/** The description of one interface, made from what is there at the moment of the question. */
export interface OpenApiDocument extends Listed {
  readonly description: string
  readonly errors: ErrorBody
  /** As OpenAPI has it: any of these; an empty object means that no key is needed. */
  readonly security: readonly object[]
  describe(): OpenApiSections
}

export const OPENAPI_PATH = '/api/v1/openapi.json'

const SECURITY = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
} as const

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
        securitySchemes: SECURITY,
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
export function openApiRoutes(options: OpenApiOptions): HttpPlugin {
  const { sections, documents = [] } = options
  return (app) => {
    const main = { path: OPENAPI_PATH, base: () => app.swagger(), sections: sections ?? none }
    serve(app, main, options)
    for (const document of documents) {
      const { path, errors } = document
      const of = { path, errors, base: () => baseOf(document, options) }
      serve(app, { ...of, sections: async () => [document.describe()] }, options)
    }
  }
}

interface Served {
  readonly path: string
  readonly errors?: ErrorBody
  base(): OpenApiBase
  sections(): Promise<readonly OpenApiSections[]>
}

async function none(): Promise<readonly OpenApiSections[]> {
  return []
}

function baseOf(
  { title, description, security }: OpenApiDocument,
  { version }: OpenApiOptions,
): OpenApiBase {
  const head = { openapi: '3.1.0', info: { title, version, description }, security }
  return { ...head, components: { securitySchemes: SECURITY } }
}

function serve(app: HttpApp, served: Served, options: OpenApiOptions): void {
  const { origin, routeConfig = {}, examplesOf } = options
  let kept: Kept | undefined
  app.get(served.path, { config: routeConfig }, async (request, reply) => {
    const gzipped = await documentOf()
    // The address by which this reader reached us is one that works for them.
    const servers = [{ url: origin?.(request) ?? publicOrigin(request, undefined) }]
    const head = `{"servers":${JSON.stringify(servers)},`
    return reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(unzipped(head, gzipped), { objectMode: false }))
  })

  /** Made when it is asked for and something has changed, once for all who ask meanwhile. */
  async function documentOf(): Promise<Buffer> {
    const parts = await served.sections()
    const revision = parts.map((part) => part.revision).join(' ')
    if (kept?.revision === revision) return kept.gzipped
    const gzipped = render(parts)
    const own = { revision, gzipped }
    kept = own
    gzipped.catch(() => {
      if (kept === own) kept = undefined
    })
    return gzipped
  }

  async function render(parts: readonly OpenApiSections[]): Promise<Buffer> {
    const { path, errors } = served
    const exampleOf = await examplesOf?.(path)
    return zipped(renderOpenApi(served.base(), parts, { errors, exampleOf }))
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
