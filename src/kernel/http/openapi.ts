import type {} from '@fastify/swagger'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from './app.ts'
import type { MountGuard, MountTable } from './mounts.ts'
import { publicOrigin } from './origin.ts'

type OpenApiDocument = Exclude<ReturnType<HttpApp['swagger']>, string>

export interface OpenApiOptions {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Stands before the document as before any other read; the page that shows it is open. */
  readonly guard?: MountGuard
  readonly routeConfig?: FastifyContextConfig
  /** Where this reader sees us. */
  origin?(request: FastifyRequest): string
  /** Adds what no route describes, for example the content types that exist at this moment. */
  readonly extend?: (document: OpenApiDocument) => object | Promise<object>
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
export function openApiRoute({ extend, origin, routeConfig = {} }: OpenApiOptions): HttpPlugin {
  return (app) => {
    app.get(OPENAPI_PATH, { config: routeConfig }, async (request) => {
      // The address by which this reader reached us is one that works for them.
      const servers = [{ url: origin?.(request) ?? publicOrigin(request, undefined) }]
      const document = { ...app.swagger(), servers }
      return extend ? extend(document) : document
    })
  }
}
