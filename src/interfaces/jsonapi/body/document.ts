import type { FastifyRequest } from 'fastify'
import type { Attribute } from '#content-model'
import { parseJson } from '#http'
import { DomainError, isObject, isUuid } from '#kernel'
import { badDocument, issueAt, refusalAt } from '../errors.ts'
import { requireDocumentType } from '../request.ts'
import type { Catalogue, Resource } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The resource object that a client sent, checked as far as the specification goes. */
export interface SentResource {
  readonly id: string | undefined
  readonly attributes: JsonObject
  readonly relationships: JsonObject
  /** The whole body, for pointers. */
  readonly document: JsonObject
}

/** The body as JSON; throws 415 or 400. */
export function parseDocument(request: FastifyRequest): JsonObject {
  const { body, headers } = request
  const isEmpty = !Buffer.isBuffer(body) || body.length === 0
  // Only what there is has a type.
  if (!isEmpty || headers['content-type'] !== undefined) requireDocumentType(request)
  if (isEmpty) throw badDocument('', 'A body is required')
  const document = readJson(body)
  if (!isObject(document)) throw badDocument('', 'The body must be an object')
  if (!('data' in document)) throw badDocument('', 'The body has no data', 'data')
  return document
}

function readJson(body: Buffer): unknown {
  try {
    return parseJson(body)
  } catch (error) {
    if (!(error instanceof DomainError) || error.issues.length === 0) throw error
    const issues = error.issues.map(({ path, rule, message }) =>
      issueAt({ pointer: toPointer(path) }, rule, message),
    )
    throw new DomainError('invalid', 'invalid_text', error.message, { issues })
  }
}

export function parseResource(request: FastifyRequest, resource: Resource): SentResource {
  const document = parseDocument(request)
  const { data } = document
  if (!isObject(data)) throw badDocument('/data', 'data must be a resource object')
  for (const name of ['attributes', 'relationships'] as const) {
    if (Object.hasOwn(document, name)) throw badDocument(`/${name}`, `${name} belong into data`)
  }
  checkType(data, resource)
  return {
    id: idOf(data),
    attributes: objectIn(data, 'attributes'),
    relationships: objectIn(data, 'relationships'),
    document,
  }
}

/** The bundle alone is taken for the whole name: generic clients send it. */
function checkType(data: JsonObject, { name, path }: Resource): void {
  const { type } = data
  if (type === undefined) throw badDocument('/data', 'The resource has no type', 'type')
  if (typeof type !== 'string') throw badDocument('/data/type', 'type must be text')
  if (type === name || type === path.split('/').at(-1)) return
  const message = `Here are resources of the type ${name}`
  throw refusalAt('conflict', 'type_mismatch', { pointer: '/data/type' }, message)
}

/** Throws unless the body names the resource of the URL. */
export function checkId({ id }: SentResource, expected: string): void {
  if (id === undefined) throw badDocument('/data', 'The resource has no id', 'id')
  if (id.toLowerCase() === expected) return
  throw refusalAt('conflict', 'id_mismatch', { pointer: '/data/id' }, 'Another id than in the URL')
}

function idOf({ id }: JsonObject): string | undefined {
  if (id === undefined || typeof id === 'string') return id
  throw badDocument('/data/id', 'id must be text')
}

function objectIn(data: JsonObject, name: string): JsonObject {
  const value = data[name]
  if (value === undefined) return {}
  if (!isObject(value)) throw badDocument(`/data/${name}`, `${name} must be an object`)
  return value
}

/** RFC 6901. */
function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** A pointer names what exists in the request: of a missing member the nearest parent (Spec). */
export function sourceIn(document: JsonObject, path: readonly (string | number)[]) {
  let value: unknown = document
  for (const [at, step] of path.entries()) {
    const inner: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
    if (inner === undefined) {
      return { pointer: toPointer(path.slice(0, at)), field: String(path.at(-1)) }
    }
    value = inner
  }
  return { pointer: toPointer(path) }
}

interface Identifier {
  readonly type: string
  readonly id: string
}

/** Linkage as it was sent: null, one identifier or a list (contract §7.3). */
export function parseLinkage(
  catalogue: Catalogue,
  relation: Relation,
  data: unknown,
  at: string,
): readonly string[] {
  if (relation.many) {
    if (!Array.isArray(data)) throw badDocument(at, `${relation.wire} needs a list of identifiers`)
    return data.map((each, index) => parseTarget(catalogue, relation, each, `${at}/${index}`))
  }
  if (data === null) return []
  if (Array.isArray(data)) throw badDocument(at, `${relation.wire} takes one identifier or null`)
  return [parseTarget(catalogue, relation, data, at)]
}

/** The id of what an identifier names; whether it exists the store will say. */
function parseTarget(catalogue: Catalogue, relation: Relation, value: unknown, at: string): string {
  const { type, id } = parseIdentifier(value, at)
  const fault = typeFault(catalogue, relation.attribute, type)
  if (fault !== undefined) {
    const message = `${relation.wire} ${fault}`
    throw refusalAt('unprocessable', 'wrong_target_type', { pointer: `${at}/type` }, message)
  }
  if (!isUuid(id)) {
    const message = `There is no ${type} ${id}`
    throw refusalAt('not_found', 'target_not_found', { pointer: at }, message)
  }
  return id.toLowerCase()
}

/** What is wrong with the type of what an attribute refers to. */
export function typeFault(
  catalogue: Catalogue,
  attribute: Attribute,
  type: string,
): string | undefined {
  const target = catalogue.behind(attribute)
  // An item of the media library and its file are the same, so both names lead to it.
  const isTaken =
    target === 'media'
      ? type.startsWith('media--') || type === 'file--file'
      : type === target?.name || type === target?.type.bundle
  return isTaken ? undefined : `takes ${target === 'media' ? target : target?.name}, not ${type}`
}

export function parseIdentifier(value: unknown, at: string): Identifier {
  if (!isObject(value)) throw badDocument(at, 'An identifier is an object with type and id')
  const { type, id } = value
  if (typeof type !== 'string') throw badDocument(at, 'The identifier has no type', 'type')
  if (typeof id !== 'string') throw badDocument(at, 'The identifier has no id', 'id')
  return { type, id }
}
