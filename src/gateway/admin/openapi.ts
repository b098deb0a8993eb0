import type { OpenApiDocument } from '#http'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'

type Json = Readonly<Record<string, unknown>>

const ADMIN = '/gateway/admin'
const TEXT = { type: 'string' }
const ERROR = {
  type: 'object',
  properties: { error_msg: TEXT, errors: { type: 'array', items: { type: 'object' } } },
  required: ['error_msg'],
}

/** The document of the administration: the same for every kind of object, made from their descriptions. */
export function gatewayDocument(descriptions: ReadonlyMap<Kind, Description>): OpenApiDocument {
  return {
    title: 'Gateway administration',
    path: '/openapi/gateway.json',
    description: `Routes, upstreams, consumers and all else that the gateway goes by, below \`${ADMIN}\`. Clients made for Apache APISIX work with it.`,
    errors: { mediaType: 'application/json', schema: ERROR },
    security: [{ apiKey: [] }],
    // Kinds never change while a process runs.
    describe: () => ({
      revision: 'gateway',
      paths: paths(descriptions),
      schemas: schemas(descriptions),
    }),
  }
}

function* schemas(descriptions: ReadonlyMap<Kind, Description>): Generator<object> {
  for (const [kind, { schema }] of descriptions) yield { [kind]: schema }
}

function* paths(descriptions: ReadonlyMap<Kind, Description>): Generator<object> {
  for (const description of descriptions.values()) yield pathsOf(description)
  for (const [path, operations] of Map.groupBy(WHOLE, ([, path]) => path)) {
    const members = operations.map(([method, , summary, description]) => {
      const body = method === 'get' || path === '/confirm' ? {} : { requestBody: bodyOf({}) }
      const responses = method === 'put' ? { 204: { description: 'Done' } } : done({})
      return [method, { tags: ['Whole'], summary, description, ...body, responses }]
    })
    yield { [`${ADMIN}${path}`]: Object.fromEntries(members) }
  }
}

/** What concerns more than one object. */
const WHOLE: readonly (readonly [method: string, path: string, summary: string, text: string])[] = [
  [
    'get',
    '/configs',
    'Read the whole configuration',
    'All objects by kind, in a form that can be sent back. Secrets are masked; what is sent back masked stays as it is stored.',
  ],
  [
    'put',
    '/configs',
    'Replace the whole configuration',
    'Stores all objects as one write, or refuses it with every fault. With `confirm_within` it takes itself back unless it is confirmed.',
  ],
  [
    'post',
    '/configs/validate',
    'Check a whole configuration',
    'Answers with all that would keep it from being stored. Nothing is stored.',
  ],
  [
    'get',
    '/history',
    'List writes',
    'The last writes with who made them and when, newest first. Each can be gone back to.',
  ],
  [
    'post',
    '/rollback',
    'Go back to an earlier configuration',
    'Makes the configuration again what it was after a write. It is a write itself and can be taken back like any other.',
  ],
  [
    'post',
    '/confirm',
    'Confirm a configuration',
    'Keeps a configuration that would take itself back. Without one that waits it is refused.',
  ],
  [
    'post',
    '/explain',
    'Explain a request',
    'Tells which route a request would meet and which plugins would run. Nothing is forwarded.',
  ],
  [
    'post',
    '/scripts/test',
    'Try a script',
    'Runs a script on a request that is described in the body. It answers with what the script did and how long it took.',
  ],
  [
    'get',
    '/plugins/list',
    'List plugins',
    'Names of all plugins, highest priority first. Their settings are described in `docs/plugins.md`.',
  ],
]

function pathsOf(description: Description): object {
  const { kind, isPutOnly, isNamed, idMember } = description
  const base = kind === 'credentials' ? `${ADMIN}/consumers/{username}/${kind}` : `${ADMIN}/${kind}`
  const above = kind === 'credentials' ? [parameter('username')] : []
  const putsByBody = idMember === 'username'
  return {
    [base]: {
      ...withParameters(above),
      get: list(description),
      ...(isPutOnly || isNamed ? {} : { post: create(description) }),
      ...(putsByBody ? { put: put(description) } : {}),
    },
    [`${base}/{id}`]: {
      ...withParameters([...above, parameter('id')]),
      get: show(description),
      put: put(description),
      ...(isPutOnly ? {} : { patch: patch(description) }),
      delete: remove(description),
    },
  }
}

function list(of: Description): Json {
  return {
    ...words(
      of,
      `List objects: ${of.noun}`,
      'All objects of the kind, or a page of them with `page` and `page_size`. They are filtered by name, label and URI.',
    ),
    parameters: ['page', 'page_size', 'name', 'label', 'uri'].map((name) => ({
      name,
      in: 'query',
      required: false,
      schema: TEXT,
    })),
    responses: done({
      type: 'object',
      properties: {
        total: { type: 'integer' },
        list: { type: 'array', items: { type: 'object' } },
      },
    }),
  }
}

function show(of: Description): Json {
  return {
    ...words(
      of,
      `Read one: ${of.noun}`,
      'One object with the index of its last change, which is its `ETag`. Members that are hidden are left out.',
    ),
    responses: done({ type: 'object' }),
  }
}

function create(of: Description): Json {
  return {
    ...words(
      of,
      `Create one: ${of.noun}`,
      'Stores the object under a new id. When the answer arrives, the next request meets it.',
    ),
    ...{ requestBody: bodyOf(refTo(of)), responses: done({ type: 'object' }, 201) },
  }
}

function put(of: Description): Json {
  return {
    ...words(
      of,
      `Create or replace one: ${of.noun}`,
      'Stores the object as a whole. With `ttl` it ends by itself after so many seconds.',
    ),
    requestBody: bodyOf(refTo(of)),
    responses: { ...done({ type: 'object' }), ...done({ type: 'object' }, 201) },
  }
}

function patch(of: Description): Json {
  return {
    ...words(
      of,
      `Change one: ${of.noun}`,
      'Merges the members of the body into the object; null removes one. A path below the id names a single member.',
    ),
    ...{ requestBody: bodyOf({ type: 'object' }), responses: done({ type: 'object' }) },
  }
}

function remove(of: Description): Json {
  return {
    ...words(
      of,
      `Delete one: ${of.noun}`,
      'Removes an object that no other refers to. With `force=true` also one that others do.',
    ),
    responses: done({ type: 'object' }),
  }
}

/** A title and two sentences. */
function words({ kind }: Description, summary: string, description: string): Json {
  return { tags: [kind], summary, description }
}

function parameter(name: string): Json {
  return { name, in: 'path', required: true, schema: TEXT }
}

function withParameters(parameters: readonly Json[]): Json {
  return parameters.length > 0 ? { parameters } : {}
}

function refTo({ kind }: Description): Json {
  return { $ref: `#/components/schemas/${kind}` }
}

function bodyOf(schema: Json): Json {
  return { required: true, content: { 'application/json': { schema } } }
}

function done(schema: Json, status = 200): Json {
  return { [status]: { description: 'Done', content: { 'application/json': { schema } } } }
}
