import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { addVary } from '#http-text'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered } from '../errors.ts'
import { createAdmission } from '../request/access.ts'
import { deliveredTo } from '../target/delivered.ts'
import { PATHS } from './openapi/paths.ts'
import { schemasOf } from './openapi/schemas.ts'

/** The description of the interface for the types that the caller may read (contract §10). */
export function openApiRoutes(deps: DeliveryDeps): HttpPlugin {
  const admission = createAdmission(deps)
  return (app) => {
    const config = {
      access: enter,
      ownKey: (request: FastifyRequest) => admission.ownKey(request, 'content'),
    }
    app.get('/delivery.json', { config }, describe)
  }

  function enter(): 'none' {
    if (!deps.settings().enabled) throw notDelivered()
    return 'none'
  }

  async function describe(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const { viewer } = await admission.admit(request, 'content')
    const model = deps.content.model()
    const delivered = deliveredTo(model, deps.settings(), viewer.level !== null)
    reply.type('application/json; charset=utf-8')
    addVary(reply, 'Api-Key, X-API-Key, Authorization')
    return JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Content delivery', version: deps.version },
      servers: [{ url: '/' }],
      security: [{}, { apiKey: [] }, { entrepotKey: [] }, { bearer: [] }],
      paths: PATHS,
      components: {
        schemas: schemasOf(model, delivered),
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' },
          entrepotKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
    })
  }
}
