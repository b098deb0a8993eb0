import { openapiOf } from '#content'
import { isScalar } from '#content-model'
import { listOf, orNull, refTo, type Schema, TEXT, UUID } from '#content-openapi'
import type { OpenApiDocument } from '#http'
import type { JsonApiDeps } from '../deps.ts'
import { effectiveAt } from '../query/effective.ts'
import { type Catalogue, catalogueOf, type Resource } from '../target/catalogue.ts'
import { methodsOf, type Target, templateOf } from '../target.ts'

const MEDIA_TYPE = 'application/vnd.api+json'
/** Stands for any id while addresses are described. */
const ANY = '00000000-0000-0000-0000-000000000000'

/** The document of this dialect: every resource type and what can be done at each of its addresses. */
export function jsonApiDocument({
  content,
  settings,
}: Pick<JsonApiDeps, 'content' | 'settings'>): OpenApiDocument {
  return {
    title: 'JSON:API',
    path: '/openapi/jsonapi.json',
    description: "Content as clients of Drupal's JSON:API ask for it, below `/jsonapi`.",
    errors: { mediaType: MEDIA_TYPE, schema: ERRORS },
    security: [{}, { bearer: [] }, { apiKey: [] }, { basic: [] }],
    describe() {
      const catalogue = catalogueOf(content.model())
      const { readOnly } = settings()
      return {
        revision: `content ${catalogue.model.revision} ${readOnly}`,
        paths: paths(catalogue, readOnly),
        schemas: schemas(catalogue),
      }
    },
  }
}

const ERRORS = object({
  jsonapi: { type: 'object' },
  errors: listOf(
    object({
      ...{ status: TEXT, code: TEXT, title: TEXT, detail: TEXT },
      source: object({ pointer: TEXT, parameter: TEXT }),
    }),
  ),
})

function* schemas({ all }: Catalogue): Generator<object> {
  for (const resource of all) yield { [resource.name]: schemaOf(resource) }
}

function schemaOf(resource: Resource): Schema {
  const head = { type: { const: resource.name }, id: UUID }
  if (resource.kind !== 'entry') return object({ ...head, attributes: { type: 'object' } })
  const { fields, relations } = resource.names
  const attributes = fields.map(({ wire, attribute }): [string, Schema] => [
    wire,
    isScalar(attribute) ? orNull(openapiOf(attribute)) : {},
  ])
  const linked = relations.map(({ wire, many }): [string, Schema] => [
    wire,
    object({ data: many ? listOf(LINKAGE) : orNull(LINKAGE) }),
  ])
  return object({
    ...head,
    attributes: object(Object.fromEntries(attributes)),
    relationships: object(Object.fromEntries(linked)),
  })
}

const LINKAGE = object({ type: TEXT, id: UUID })

function* paths({ all }: Catalogue, readOnly: boolean): Generator<object> {
  yield pathOf({ kind: 'entryPoint' }, readOnly)
  for (const resource of all) {
    yield pathOf({ kind: 'collection', resource }, readOnly)
    yield pathOf({ kind: 'individual', resource, id: ANY }, readOnly)
    if (resource.kind !== 'entry') continue
    for (const { wire: name } of resource.names.relations) {
      yield pathOf({ kind: 'related', resource, id: ANY, name }, readOnly)
      yield pathOf({ kind: 'relationship', resource, id: ANY, name }, readOnly)
    }
  }
}

/** The methods are those that the routes themselves ask for, so the two cannot differ. */
function pathOf(target: Target, readOnly: boolean): object {
  const methods = methodsOf(target).filter((method) => method === 'GET' || !readOnly)
  const operations = methods
    .filter((method) => method !== 'HEAD')
    .map((method) => [method.toLowerCase(), operation(target, method)])
  const name = 'name' in target ? target.name : ''
  const path = templateOf(target).replace('{relationship}', name)
  const parameters = path.includes('{id}') ? { parameters: [ID] } : {}
  return { [path]: { ...parameters, ...Object.fromEntries(operations) } }
}

const ID = { name: 'id', in: 'path', required: true, schema: UUID }

function query(name: string, description: string) {
  return { name, in: 'query', required: false, schema: TEXT, description }
}

const PARAMETERS = [
  query('filter', '`filter[title]=…`, or conditions with `path`, `operator` and `value`'),
  query('sort', 'Members, comma-separated, `-` before one for descending'),
  query('page', '`page[limit]`, at most 100, and `page[offset]`'),
  query('include', 'Relationships to show, comma-separated, nested by dots'),
  query('fields', '`fields[node--article]=title`: members to show'),
  query('resourceVersion', '`rel:latest-version`, `rel:working-copy` or `id:` with a revision'),
]

function operation(target: Target, method: string): Schema {
  if (target.kind === 'entryPoint') {
    return { ...ENTRY_POINT, tags: ['JSON:API'], responses: done({ type: 'object' }) }
  }
  const { resource } = target
  const isChange = method !== 'GET'
  const shows = target.kind === 'relationship' ? linksOf(target) : refTo(resource.name)
  const isList = target.kind === 'collection' && !isChange
  const body = { content: { [MEDIA_TYPE]: { schema: object({ data: shows }) } } }
  return {
    ...wordsOf(target, method),
    tags: [resource.name],
    ...(isChange && { security: KEYED }),
    ...parametersOf(method, target),
    ...(method === 'POST' || method === 'PATCH' ? { requestBody: body } : {}),
    responses: responsesOf(target, method, isList ? listOf(shows) : shows),
  }
}

/** The names are those that the routes themselves go by, as the methods are. */
function parametersOf(method: string, target: Target): Schema {
  const effective = effectiveAt(method, target)
  const parameters = PARAMETERS.filter(({ name }) => effective.includes(name))
  return parameters.length > 0 ? { parameters } : {}
}

function linksOf({
  resource,
  name,
}: {
  readonly resource: Resource
  readonly name: string
}): Schema {
  const relations = resource.kind === 'entry' ? resource.names.relations : []
  const isToMany = relations.some(({ wire, many }) => wire === name && many)
  return isToMany ? listOf(LINKAGE) : orNull(LINKAGE)
}

const KEYED = [{ bearer: [] }, { apiKey: [] }, { basic: [] }]

function responsesOf({ kind }: Target, method: string, data: Schema): Schema {
  const changesLinks = kind === 'relationship' && method !== 'GET'
  if (method === 'DELETE' || changesLinks) return { 204: { description: 'Done' } }
  return done(object({ data, included: listOf({ type: 'object' }) }), method === 'POST' ? 201 : 200)
}

function done(schema: Schema, status = 200): Schema {
  return { [status]: { description: 'Done', content: { [MEDIA_TYPE]: { schema } } } }
}

const ENTRY_POINT = words(
  'List resource types',
  'Links to every resource type that the caller may read. Clients find their way from here.',
)

type Described = Exclude<Target, { kind: 'entryPoint' }>

function wordsOf(target: Described, method: string) {
  const { name } = target.resource
  const own = 'name' in target ? target.name : ''
  switch (`${target.kind} ${method}`) {
    case 'collection GET':
      return words(
        `List ${name}`,
        'A page of resources, filtered, sorted and with included ones as the query says. `links.next` leads to the next page.',
      )
    case 'collection POST':
      return words(
        `Create a ${name}`,
        'Stores the resource in the body, published unless `status` is false. `Location` and the answer tell its id.',
      )
    case 'individual GET':
      return words(
        `Read a ${name}`,
        'One resource by its UUID. `resourceVersion` asks for the working copy.',
      )
    case 'individual PATCH':
      return words(
        `Change a ${name}`,
        'Changes the members in the body and leaves the others. Its `id` must be that of the address.',
      )
    case 'individual DELETE':
      return words(
        `Delete a ${name}`,
        'Removes the resource. Relationships that led to it lead nowhere.',
      )
    case 'related GET':
      return words(
        `Read ${own} of a ${name}`,
        'The resources that the relationship leads to. Those that the caller may not read are left out.',
      )
    case 'related POST':
      return words(
        `Upload ${own} of a ${name}`,
        'Takes the bytes of a file for this field as `application/octet-stream`. Its name comes in `Content-Disposition`.',
      )
    case 'relationship GET':
      return words(
        `Read the relationship ${own} of a ${name}`,
        'Types and ids of what the relationship leads to. The resources themselves are at the related address.',
      )
    case 'relationship POST':
      return words(
        `Add to ${own} of a ${name}`,
        'Adds links to those that are there. Links that are there already stay as they are.',
      )
    case 'relationship PATCH':
      return words(
        `Replace ${own} of a ${name}`,
        'Sets all links of the relationship. Null or an empty list removes them.',
      )
    default:
      return words(
        `Remove from ${own} of a ${name}`,
        'Removes the links that are named in the body. The resources they led to stay.',
      )
  }
}

/** A title and two sentences. */
function words(summary: string, description: string) {
  return { summary, description }
}

function object(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties }
}
