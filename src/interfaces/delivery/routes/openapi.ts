import type { FastifyReply, FastifyRequest } from 'fastify'
import { listOf, refTo, type Schema, TEXT } from '#content-dialect'
import type { HttpPlugin } from '#http'
import { addVary } from '#http-text'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered } from '../errors.ts'
import { createAdmission } from '../request/access.ts'
import { deliveredTo } from '../target/delivered.ts'
import { MOUNT } from '../target.ts'
import { closed, ITEM, MEDIA_ITEM, schemasOf } from './openapi/schemas.ts'

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

const WHOLE: Schema = { type: 'integer', minimum: 0 }

function inQuery(name: string, schema: Schema, description: string): Schema {
  return { name, in: 'query', required: false, schema, description }
}

function inHeader(name: string, description: string): Schema {
  return { name, in: 'header', required: false, schema: TEXT, description }
}

const FILTER = inQuery('filter', listOf(TEXT), 'field:value, joined by commas')
const SORT = inQuery('sort', listOf(TEXT), 'field:asc or field:desc')
const FETCH = inQuery('fetch', TEXT, 'children:, descendants: or ancestors: and an id or path')
const SHOWING = [
  inQuery('expand', TEXT, 'all, or properties[a,b]'),
  inQuery('fields', TEXT, 'properties[a,b]'),
]
const PAGE = [inQuery('skip', WHOLE, 'Default 0'), inQuery('take', WHOLE, 'Default 10')]
const IDS = { ...inQuery('id', listOf(TEXT), 'At most 200'), explode: true }
const READING = [
  inQuery('culture', TEXT, 'Such as en-US; the default culture when absent'),
  inHeader('Accept-Language', 'One plain tag, when culture is absent'),
  inHeader('Preview', 'true shows drafts and needs Api-Key'),
  inHeader('Api-Key', 'The key of the settings, or an Entrepot key'),
]
const START_ITEM = inHeader('Start-Item', 'Id or path of a start item')
const PATH_PARAMETER = { name: 'path', in: 'path', required: true, schema: TEXT }

const PROBLEM = {
  description: 'Problem',
  content: { 'application/problem+json': { schema: refTo('shared.problem') } },
}
const MOVED = {
  description: 'The item has another path now',
  headers: {
    Location: { schema: TEXT },
    'Location-Start-Item-Path': { schema: TEXT },
    'Location-Start-Item-Id': { schema: TEXT },
  },
}

function operation(
  [operationId, summary]: readonly [string, string],
  parameters: readonly Schema[],
  schema: Schema,
  others: readonly number[],
): Schema {
  const success = { description: summary, content: { 'application/json': { schema } } }
  const responses = Object.fromEntries([
    [200, success],
    ...others.map((status) => [status, status === 301 ? MOVED : PROBLEM]),
  ])
  return { get: { operationId, summary, parameters, responses } }
}

function page(items: Schema): Schema {
  return closed({ total: { type: 'integer' }, items: listOf(items) })
}

/** The endpoints of contract §5; an id is one more form of a path. */
const PATHS: Readonly<Record<string, Schema>> = {
  [`${MOUNT}/content`]: operation(
    ['GetContent', 'List of content'],
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING, ...READING, START_ITEM],
    page(ITEM),
    [400, 401, 404],
  ),
  [`${MOUNT}/content/item/{path}`]: operation(
    ['GetContentItem', 'One item by id or path'],
    [PATH_PARAMETER, ...SHOWING, ...READING, START_ITEM],
    ITEM,
    [301, 400, 401, 404],
  ),
  [`${MOUNT}/content/items`]: operation(
    ['GetContentItems', 'Several items by id'],
    [IDS, ...SHOWING, ...READING],
    listOf(ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media`]: operation(
    ['GetMedia', 'List of media'],
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING],
    page(MEDIA_ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media/item/{path}`]: operation(
    ['GetMediaItem', 'One media item by id or path'],
    [PATH_PARAMETER, ...SHOWING],
    MEDIA_ITEM,
    [401, 404],
  ),
  [`${MOUNT}/media/items`]: operation(
    ['GetMediaItems', 'Several media items by id'],
    [IDS, ...SHOWING],
    listOf(MEDIA_ITEM),
    [400, 401],
  ),
}
