import type { Schema } from '#content-openapi'
import type { OpenApiDocument } from '#http'

/** One route as it was registered, with its words. */
interface Operation {
  readonly method: string
  /** Below `/rest`: `/V1/products/:sku`. */
  readonly url: string
  /** Without a credential. */
  readonly isOpen: boolean
  readonly summary: string
  readonly description: string
}

const TEXT: Schema = { type: 'string' }
const ERROR: Schema = {
  type: 'object',
  properties: { message: TEXT, parameters: {} },
  required: ['message'],
}
const CRITERIA: Schema = {
  ...{ name: 'searchCriteria', in: 'query', required: false, style: 'deepObject', explode: true },
  schema: { type: 'object' },
  description: '`searchCriteria[filterGroups][0][filters][0][field]=price` and so on',
}
const BODY: Schema = { required: true, content: { 'application/json': { schema: {} } } }
const NO_BODY_NEEDED = /\/(retry|cancel|hold|unhold|invoice|ship)$/

/** What is done later is answered with 202. */
function done(url: string): Schema {
  const status = url.startsWith('/async/') || url.endsWith('/retry') ? 202 : 200
  return { [status]: { description: 'Done', content: { 'application/json': { schema: {} } } } }
}

/** Collects what the routes of the dialect say of themselves, and makes its document of that. */
export function createDescribed() {
  const operations: Operation[] = []
  const document: OpenApiDocument = {
    title: 'Commerce',
    path: '/openapi/commerce.json',
    description:
      'Products, stock, bulks and orders as integrations of the well-known shop system ask for them, below `/rest`. A store code may stand before `V1`.',
    errors: { mediaType: 'application/json', schema: ERROR },
    security: [{ bearer: [] }, { apiKey: [] }],
    // Routes never change while a process runs.
    describe: () => ({ revision: 'commerce', paths: paths(operations) }),
  }
  return { add: (operation: Operation) => void operations.push(operation), document }
}

export type Described = ReturnType<typeof createDescribed>

function* paths(operations: readonly Operation[]): Generator<object> {
  for (const [url, own] of Map.groupBy(operations, (each) => each.url)) {
    const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: TEXT }))
    const members = own.map((each) => [each.method.toLowerCase(), operationOf(each)])
    const path = `/rest${url.replaceAll(/:(\w+)/g, '{$1}')}`
    yield {
      [path]: { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(members) },
    }
  }
}

function operationOf({ method, url, isOpen, summary, description }: Operation): Schema {
  const isSearch = method === 'GET' && summary.startsWith('Search')
  return {
    ...{ summary, description, tags: [tagOf(url)] },
    ...(isOpen ? { security: [] } : {}),
    ...(isSearch ? { parameters: [CRITERIA] } : {}),
    ...(method === 'POST' || method === 'PUT'
      ? { requestBody: { ...BODY, required: !NO_BODY_NEEDED.test(url) } }
      : {}),
    responses: done(url),
  }
}

function tagOf(url: string): string {
  if (url.includes('/async/') || url.includes('/bulk')) return 'Bulks'
  if (url.includes('/order')) return 'Orders'
  return url.includes('/products') || url.includes('/stock') ? 'Products' : 'Shop'
}
