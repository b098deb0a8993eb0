import type { FastifyReply, FastifyRequest } from 'fastify'
import { listOf, refTo, type Schema, TEXT } from '#content-openapi'
import { type ExampleOf, type HttpPlugin, withExample } from '#http'
import { addVary } from '#http-text'
import { isObject } from '#kernel'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered } from '../errors.ts'
import { createAdmission } from '../request.ts'
import { deliveredTo, MOUNT } from '../target.ts'
import { closed, ITEM, MEDIA_ITEM, schemasOf } from './openapi/schemas.ts'

/** The description of the interface for the types that the caller may read (contract §10). */
export function openApiRoutes(deps: DeliveryDeps): HttpPlugin {
  const admission = createAdmission(deps)
  return (app) => {
    const config = {
      access: enter,
      ownKey: (request: FastifyRequest) => admission.ownKey(request, 'content'),
    }
    app.get(DOCUMENT, { config }, describe)
  }

  function enter(): 'none' {
    if (!deps.settings().enabled) throw notDelivered()
    return 'none'
  }

  async function describe(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const { viewer } = await admission.admit(request, 'content')
    const model = deps.content.model()
    const { fields } = deps.content.indexFields
    const delivered = deliveredTo(model, deps.settings(), fields, viewer)
    reply.type('application/json; charset=utf-8')
    addVary(reply, 'Api-Key, X-API-Key, Authorization')
    return JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Content delivery', version: deps.version },
      servers: [{ url: '/' }],
      security: [{}, { apiKey: [] }, { entrepotKey: [] }, { bearer: [] }],
      paths: withExamples(await deps.examplesOf(`/cms/openapi${DOCUMENT}`)),
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

const DOCUMENT = '/delivery.json'
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
  [operationId, summary, description]: readonly [string, string, string],
  parameters: readonly Schema[],
  schema: Schema,
  others: readonly number[],
): Schema {
  const success = { description: summary, content: { 'application/json': { schema } } }
  const responses = Object.fromEntries([
    [200, success],
    ...others.map((status) => [status, status === 301 ? MOVED : PROBLEM]),
  ])
  return { get: { operationId, summary, description, parameters, responses } }
}

function page(items: Schema): Schema {
  return closed({ total: { type: 'integer' }, items: listOf(items) })
}

function withExamples(exampleOf: ExampleOf): Schema {
  const shown = Object.entries(PATHS).map(([path, { get }]) => [
    path,
    { get: isObject(get) ? withExample(get, exampleOf('get', path)) : get },
  ])
  return Object.fromEntries(shown)
}

/** The endpoints of contract §5; an id is one more form of a path. */
const PATHS: Readonly<Record<string, Schema>> = {
  [`${MOUNT}/content`]: operation(
    [
      'GetContent',
      'List of content',
      'Items of all types or below one of them, filtered, sorted and in pages. Only what is published is shown, unless `Preview` asks for drafts.',
    ],
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING, ...READING, START_ITEM],
    page(ITEM),
    [400, 401, 404],
  ),
  [`${MOUNT}/content/item/{path}`]: operation(
    [
      'GetContentItem',
      'One item by id or path',
      'One item with its properties. When it has another path now, the answer leads there.',
    ],
    [PATH_PARAMETER, ...SHOWING, ...READING, START_ITEM],
    ITEM,
    [301, 400, 401, 404],
  ),
  [`${MOUNT}/content/items`]: operation(
    [
      'GetContentItems',
      'Several items by id',
      'The items of these ids in their order. Those that are not there are left out.',
    ],
    [IDS, ...SHOWING, ...READING],
    listOf(ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media`]: operation(
    [
      'GetMedia',
      'List of media',
      'Files of the media library, filtered, sorted and in pages. They need the setting that opens media.',
    ],
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING],
    page(MEDIA_ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media/item/{path}`]: operation(
    [
      'GetMediaItem',
      'One media item by id or path',
      'One file with its properties. Its bytes are at `url`.',
    ],
    [PATH_PARAMETER, ...SHOWING],
    MEDIA_ITEM,
    [401, 404],
  ),
  [`${MOUNT}/media/items`]: operation(
    [
      'GetMediaItems',
      'Several media items by id',
      'The files of these ids in their order. Those that are not there are left out.',
    ],
    [IDS, ...SHOWING],
    listOf(MEDIA_ITEM),
    [400, 401],
  ),
}
