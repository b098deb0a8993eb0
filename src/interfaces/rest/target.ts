import type { FastifyRequest } from 'fastify'
import { typeAt } from '#content-dialect'
import {
  type ContentModel,
  type ContentType,
  isToMany,
  type RelationAttribute,
} from '#content-model'
import { isUuid } from '#kernel'
import { parseIntegerId } from '#paging'
import type { Version } from './query/parse.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the path names in the model as it was when the request came; null: nothing. */
    resource: Resource | null
  }
}

/** One entry by what the path says: the variant is chosen when it is looked up. */
export type Address =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'document'; readonly documentId: string }
  /** The one document of a single type. */
  | { readonly kind: 'single' }
  /** Cannot be the id of anything. */
  | { readonly kind: 'nothing' }

export const ACTIONS = ['publish', 'unpublish', 'discard-draft'] as const
export type Action = (typeof ACTIONS)[number]

export type Target =
  | { readonly kind: 'list' }
  | { readonly kind: 'bulk' }
  | { readonly kind: 'record'; readonly address: Address }
  | { readonly kind: 'action'; readonly address: Address; readonly action: Action }
  | { readonly kind: 'revisions'; readonly address: Address }
  | ({ readonly kind: 'revision' | 'restore' } & AddressedRevision)
  | {
      readonly kind: 'related'
      readonly address: Address
      readonly relation: RelationAttribute
      readonly many: boolean
    }

export interface AddressedRevision {
  readonly address: Address
  readonly revisionId: number
}

export interface Resource {
  readonly model: ContentModel
  readonly type: ContentType
  readonly version: Version
  readonly target: Target
  /** As the usage record names it: `/api/v1/articles/{id}`. */
  readonly template: string
  readonly methods: readonly string[]
}

/** A target with its path below the type, as usage records name it. */
interface Located {
  readonly target: Target
  readonly path: string
  readonly methods: readonly string[]
}

const RECORD = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
const ONE = ['GET', 'HEAD']
const MANY = ['GET', 'HEAD', 'POST']

/** The model decides what a path is: types come and go while the server runs. */
export function findResource(
  model: ContentModel,
  version: Version,
  request: FastifyRequest,
): Resource | null {
  const [name, ...steps] = segmentsOf(request)
  const type = typeAt(model, name)
  const located = type && locate(type, steps)
  if (!type || !located) return null
  const { target, path, methods } = located
  return { model, type, version, target, template: `/api/v${version}/${name}${path}`, methods }
}

/** Of routes that have so many of these parameters. */
function segmentsOf({ params }: FastifyRequest): string[] {
  const { collection, id, member, item, action }: Partial<Record<string, string>> = Object(params)
  return [collection, id, member, item, action].filter((step) => step !== undefined)
}

function locate(type: ContentType, steps: readonly string[]): Located | undefined {
  if (type.kind === 'singleType') {
    return below(type, { kind: 'single' }, '', steps)
  }
  const [id, ...members] = steps
  if (id === undefined) return { target: { kind: 'list' }, path: '', methods: MANY }
  if (id === 'bulk' && members.length === 0) {
    return { target: { kind: 'bulk' }, path: '/bulk', methods: ['POST'] }
  }
  return below(type, addressOf(id), '/{id}', members)
}

function below(
  type: ContentType,
  address: Address,
  record: string,
  [member, ...steps]: readonly string[],
): Located | undefined {
  if (member === undefined) {
    return { target: { kind: 'record', address }, path: record, methods: RECORD }
  }
  const path = `${record}/${member}`
  if (member === 'revisions') return revisionsBelow(address, path, steps)
  if (steps.length > 0) return undefined
  const action = ACTIONS.find((each) => each === member)
  if (action) {
    const target = { kind: 'action', address, action } as const
    return type.draftAndPublish ? { target, path, methods: ['POST'] } : undefined
  }
  const relation = type.attribute.get(member)
  if (relation?.type !== 'relation' || relation.private) return undefined
  const many = isToMany(relation)
  const target = { kind: 'related', address, relation, many } as const
  return { target, path, methods: many ? MANY : ONE }
}

function revisionsBelow(
  address: Address,
  path: string,
  [id, action, ...more]: readonly string[],
): Located | undefined {
  if (id === undefined) return { target: { kind: 'revisions', address }, path, methods: ONE }
  const revisionId = parseIntegerId(id)
  if (revisionId === undefined || more.length > 0) return undefined
  const own = `${path}/{revision}`
  if (action === undefined) {
    return { target: { kind: 'revision', address, revisionId }, path: own, methods: ONE }
  }
  if (action !== 'restore') return undefined
  const target = { kind: 'restore', address, revisionId } as const
  return { target, path: `${own}/restore`, methods: ['POST'] }
}

function addressOf(text: string): Address {
  if (isUuid(text)) return { kind: 'document', documentId: text.toLowerCase() }
  const id = parseIntegerId(text)
  return id === undefined ? { kind: 'nothing' } : { kind: 'id', id }
}
