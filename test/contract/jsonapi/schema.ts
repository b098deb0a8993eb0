import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

/** Ajv as the HTTP server itself uses it. */
const fromCompiler = createRequire(createRequire(import.meta.url).resolve('@fastify/ajv-compiler'))
const { default: Ajv2020 } = fromCompiler('ajv/dist/2020')

/**
 * JSON:API 1.1 as a JSON Schema, written from the rules of the specification's chapter "Document
 * Structure" for what servers send.
 */
const MEMBER_NAME =
  '^(?:@[a-zA-Z0-9:@._-]+|[a-zA-Z0-9\\u0080-\\uFFFF](?:[a-zA-Z0-9\\u0080-\\uFFFF _-]*[a-zA-Z0-9\\u0080-\\uFFFF])?)$'

/** RFC 3986: no brackets in paths and queries, and nothing beyond ASCII. */
const URI = "^https?://(?:[A-Za-z0-9\\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$"

const names = { propertyNames: { pattern: MEMBER_NAME } }

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  oneOf: [{ $ref: '#/$defs/success' }, { $ref: '#/$defs/failure' }, { $ref: '#/$defs/info' }],
  $defs: {
    success: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          oneOf: [
            { type: 'null' },
            { $ref: '#/$defs/resource' },
            { $ref: '#/$defs/identifier' },
            { type: 'array', items: { $ref: '#/$defs/resource' }, uniqueItems: true, minItems: 1 },
            { type: 'array', items: { $ref: '#/$defs/identifier' }, minItems: 1 },
            { type: 'array', maxItems: 0 },
          ],
        },
        included: { type: 'array', items: { $ref: '#/$defs/resource' }, uniqueItems: true },
        meta: { $ref: '#/$defs/meta' },
        links: { $ref: '#/$defs/topLinks' },
        jsonapi: { $ref: '#/$defs/jsonapi' },
      },
      additionalProperties: false,
    },
    failure: {
      type: 'object',
      required: ['errors'],
      properties: {
        errors: { type: 'array', items: { $ref: '#/$defs/error' }, minItems: 1 },
        meta: { $ref: '#/$defs/meta' },
        links: { $ref: '#/$defs/topLinks' },
        jsonapi: { $ref: '#/$defs/jsonapi' },
      },
      additionalProperties: false,
    },
    info: {
      type: 'object',
      required: ['meta'],
      properties: {
        meta: { $ref: '#/$defs/meta' },
        links: { $ref: '#/$defs/topLinks' },
        jsonapi: { $ref: '#/$defs/jsonapi' },
      },
      additionalProperties: false,
    },
    meta: { type: 'object' },
    resource: {
      type: 'object',
      required: ['type', 'id', 'links'],
      properties: {
        type: { type: 'string', minLength: 1 },
        id: { type: 'string', minLength: 1 },
        attributes: {
          type: 'object',
          ...names,
          // Fields share one namespace with `type` and `id`.
          properties: { type: false, id: false },
        },
        relationships: {
          type: 'object',
          ...names,
          properties: { type: false, id: false },
          additionalProperties: { $ref: '#/$defs/relationship' },
        },
        links: { $ref: '#/$defs/links' },
        meta: { $ref: '#/$defs/meta' },
      },
      additionalProperties: false,
    },
    identifier: {
      type: 'object',
      required: ['type', 'id'],
      properties: {
        type: { type: 'string', minLength: 1 },
        id: { type: 'string', minLength: 1 },
        meta: { $ref: '#/$defs/meta' },
      },
      additionalProperties: false,
    },
    relationship: {
      type: 'object',
      minProperties: 1,
      properties: {
        links: {
          type: 'object',
          properties: { self: { $ref: '#/$defs/link' }, related: { $ref: '#/$defs/link' } },
          additionalProperties: { $ref: '#/$defs/link' },
        },
        data: {
          oneOf: [
            { type: 'null' },
            { $ref: '#/$defs/identifier' },
            { type: 'array', items: { $ref: '#/$defs/identifier' }, uniqueItems: true },
          ],
        },
        meta: { $ref: '#/$defs/meta' },
      },
      additionalProperties: false,
    },
    link: {
      oneOf: [
        { type: 'null' },
        { type: 'string', minLength: 1 },
        {
          type: 'object',
          required: ['href'],
          properties: {
            href: { type: 'string', pattern: URI },
            rel: { type: 'string' },
            describedby: { $ref: '#/$defs/link' },
            title: { type: 'string' },
            type: { type: 'string' },
            hreflang: {},
            meta: { $ref: '#/$defs/meta' },
          },
          additionalProperties: false,
        },
      ],
    },
    links: { type: 'object', additionalProperties: { $ref: '#/$defs/link' } },
    topLinks: {
      type: 'object',
      properties: {
        self: { $ref: '#/$defs/link' },
        related: { $ref: '#/$defs/link' },
        describedby: { $ref: '#/$defs/link' },
        first: { $ref: '#/$defs/link' },
        last: { $ref: '#/$defs/link' },
        prev: { $ref: '#/$defs/link' },
        next: { $ref: '#/$defs/link' },
      },
      additionalProperties: false,
    },
    jsonapi: {
      type: 'object',
      properties: {
        version: { type: 'string' },
        ext: { type: 'array', items: { type: 'string' } },
        profile: { type: 'array', items: { type: 'string' } },
        meta: { $ref: '#/$defs/meta' },
      },
      additionalProperties: false,
    },
    error: {
      type: 'object',
      minProperties: 1,
      properties: {
        id: { type: 'string' },
        links: {
          type: 'object',
          properties: { about: { $ref: '#/$defs/link' }, type: { $ref: '#/$defs/link' } },
          additionalProperties: false,
        },
        status: { type: 'string', pattern: '^[1-5][0-9]{2}$' },
        code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
        title: { type: 'string' },
        detail: { type: 'string' },
        source: {
          type: 'object',
          properties: {
            pointer: { type: 'string', pattern: '^(?:/[^/]*)*$' },
            parameter: { type: 'string' },
            header: { type: 'string' },
          },
          minProperties: 1,
          maxProperties: 1,
          additionalProperties: false,
        },
        meta: { $ref: '#/$defs/meta' },
      },
      additionalProperties: false,
    },
  },
}

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(SCHEMA)

interface Identified {
  readonly type: string
  readonly id: string
}

interface Resource extends Identified {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>
}

/** The schema, and what a schema cannot say: full linkage, no resource twice, one namespace. */
export function checkDocument(document: unknown, what: string, isSparse = false): void {
  if (isEntryPoint(document)) return
  assert.ok(validate(document), `${what}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
  if (typeof document !== 'object' || document === null || !('data' in document)) return
  const primary = listOf(document.data)
  const included = 'included' in document ? listOf(document.included) : []
  const all = [...primary, ...included]
  // Identifiers as primary data may name what is included.
  const keys = all.filter((each) => 'links' in each).map(keyOf)
  assert.equal(new Set(keys).size, keys.length, `${what}: a resource is there twice`)
  const linked = new Set(all.flatMap(linksOf))
  if (isSparse || primary.some((each) => !('links' in each))) return
  for (const each of included)
    assert.ok(linked.has(keyOf(each)), `${what}: nothing leads to ${keyOf(each)}`)
  for (const { attributes = {}, relationships = {} } of all) {
    const shared = Object.keys(attributes).filter((name) => name in relationships)
    assert.deepEqual(shared, [], `${what}: attribute and relationship at once`)
  }
}

/** Contract §3: only its links are no links of the specification. */
function isEntryPoint(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || !('links' in document)) return false
  return Object.keys(document.links ?? {}).some((name) => name.includes('--'))
}

function listOf(data: unknown): Resource[] {
  if (Array.isArray(data)) return data
  return isResource(data) ? [data] : []
}

function isResource(data: unknown): data is Resource {
  return typeof data === 'object' && data !== null
}

function keyOf({ type, id }: Identified): string {
  return `${type} ${id}`
}

function linksOf(resource: Resource): string[] {
  const own = Object.values(resource.relationships ?? {})
  return own.flatMap(({ data }) => listOf(data).map(keyOf))
}
