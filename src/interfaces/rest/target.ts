import type { FastifyRequest } from 'fastify'
import { type ContentModel, type ContentType, isToMany, type RelationAttribute } from '#content'
import { typeAt } from '#content-dialect'
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
  | {
      readonly kind: 'related'
      readonly address: Address
      readonly relation: RelationAttribute
      readonly many: boolean
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
  const { collection, id, member }: Partial<Record<string, string>> = Object(params)
  return [collection, id, member].filter((step) => step !== undefined)
}

function locate(type: ContentType, steps: readonly string[]): Located | undefined {
  if (type.kind === 'singleType') {
    return steps.length > 1 ? undefined : below(type, { kind: 'single' }, '', steps[0])
  }
  const [id, member] = steps
  if (id === undefined) return { target: { kind: 'list' }, path: '', methods: MANY }
  if (id === 'bulk' && member === undefined) {
    return { target: { kind: 'bulk' }, path: '/bulk', methods: ['POST'] }
  }
  return below(type, addressOf(id), '/{id}', member)
}

function below(
  type: ContentType,
  address: Address,
  record: string,
  member: string | undefined,
): Located | undefined {
  if (member === undefined) {
    return { target: { kind: 'record', address }, path: record, methods: RECORD }
  }
  const path = `${record}/${member}`
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

function addressOf(text: string): Address {
  if (isUuid(text)) return { kind: 'document', documentId: text.toLowerCase() }
  const id = parseIntegerId(text)
  return id === undefined ? { kind: 'nothing' } : { kind: 'id', id }
}
