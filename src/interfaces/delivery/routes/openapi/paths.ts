import { isObject } from '#kernel'
import { MOUNT } from '../../target.ts'
import { closed, ITEM, MEDIA_ITEM, refTo, type Schema } from './schemas.ts'

const TEXT: Schema = { type: 'string' }
const WHOLE: Schema = { type: 'integer', minimum: 0 }

function inQuery(name: string, schema: Schema, description: string): Schema {
  return { name, in: 'query', required: false, schema, description }
}

function inHeader(name: string, description: string): Schema {
  return { name, in: 'header', required: false, schema: TEXT, description }
}

const FILTER = inQuery('filter', { type: 'array', items: TEXT }, 'field:value, joined by commas')
const SORT = inQuery('sort', { type: 'array', items: TEXT }, 'field:asc or field:desc')
const FETCH = inQuery('fetch', TEXT, 'children:, descendants: or ancestors: and an id or path')
const SHOWING = [
  inQuery('expand', TEXT, 'all, or properties[a,b]'),
  inQuery('fields', TEXT, 'properties[a,b]'),
]
const PAGE = [inQuery('skip', WHOLE, 'Default 0'), inQuery('take', WHOLE, 'Default 10')]
const IDS = { ...inQuery('id', { type: 'array', items: TEXT }, 'At most 200'), explode: true }
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

function operation(
  operationId: string,
  summary: string,
  parameters: readonly Schema[],
  schema: Schema,
  refusals: readonly number[],
): Schema {
  const success = { description: summary, content: { 'application/json': { schema } } }
  const others = refusals.map((status) => [String(status), PROBLEM])
  return {
    get: { operationId, summary, parameters, responses: { 200: success, ...toObject(others) } },
  }
}

function toObject(entries: readonly unknown[][]): Record<string, unknown> {
  return Object.fromEntries(entries.map(([name, value]) => [String(name), value]))
}

function page(items: Schema): Schema {
  return closed({ total: { type: 'integer' }, items: { type: 'array', items } })
}

function list(items: Schema): Schema {
  return { type: 'array', items }
}

const MOVED = {
  301: {
    description: 'The item has another path now',
    headers: {
      Location: { schema: TEXT },
      'Location-Start-Item-Path': { schema: TEXT },
      'Location-Start-Item-Id': { schema: TEXT },
    },
  },
}

const ONE_ITEM = operation(
  ...([
    'GetContentItem',
    'One item by id or path',
    [PATH_PARAMETER, ...SHOWING, ...READING, START_ITEM],
    ITEM,
    [400, 401, 404],
  ] as const),
)

/** The endpoints of contract §5; an id is one more form of a path. */
export const PATHS: Readonly<Record<string, Schema>> = {
  [`${MOUNT}/content`]: operation(
    'GetContent',
    'List of content',
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING, ...READING, START_ITEM],
    page(ITEM),
    [400, 401, 404],
  ),
  [`${MOUNT}/content/item/{path}`]: withMoved(ONE_ITEM),
  [`${MOUNT}/content/items`]: operation(
    'GetContentItems',
    'Several items by id',
    [IDS, ...SHOWING, ...READING],
    list(ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media`]: operation(
    'GetMedia',
    'List of media',
    [FETCH, FILTER, SORT, ...PAGE, ...SHOWING],
    page(MEDIA_ITEM),
    [400, 401],
  ),
  [`${MOUNT}/media/item/{path}`]: operation(
    'GetMediaItem',
    'One media item by id or path',
    [PATH_PARAMETER, ...SHOWING],
    MEDIA_ITEM,
    [401, 404],
  ),
  [`${MOUNT}/media/items`]: operation(
    'GetMediaItems',
    'Several media items by id',
    [IDS, ...SHOWING],
    list(MEDIA_ITEM),
    [400, 401],
  ),
}

function withMoved(path: Schema): Schema {
  const { get } = path
  if (typeof get !== 'object' || get === null || !('responses' in get)) return path
  const { responses } = get
  return { get: { ...get, responses: { ...MOVED, ...(isObject(responses) ? responses : {}) } } }
}
