import type { FastifyRequest } from 'fastify'
import { type ContentModel, type ContentType, isToMany, type RelationAttribute } from '#content'
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

/** The model decides what a path is: types come and go while the server runs. */
export function findResource(
  model: ContentModel,
  version: Version,
  request: FastifyRequest,
): Resource | null {
  const [name, ...steps] = segmentsOf(request)
  const type = name === undefined ? undefined : model.findType(name)
  if (!type || name !== urlNameOf(type)) return null
  const target = type.kind === 'singleType' ? inSingle(type, steps) : inCollection(type, steps)
  if (!target) return null
  const template = `/api/v${version}/${name}${templateOf(type, target)}`
  return { model, type, version, target, template, methods: methodsOf(target) }
}

export function urlNameOf({ kind, pluralName, singularName }: ContentType): string {
  return kind === 'singleType' ? singularName : pluralName
}

function segmentsOf({ params }: FastifyRequest): string[] {
  const given = new Map<string, unknown>(Object.entries(params ?? {}))
  const steps = ['collection', 'id', 'member'].map((name) => given.get(name))
  return steps.filter((step) => typeof step === 'string')
}

function inCollection(type: ContentType, [id, member]: readonly string[]): Target | undefined {
  if (id === undefined) return { kind: 'list' }
  if (id === 'bulk' && member === undefined) return { kind: 'bulk' }
  const address = addressOf(id)
  return member === undefined ? { kind: 'record', address } : below(type, address, member)
}

function inSingle(type: ContentType, [member, ...rest]: readonly string[]): Target | undefined {
  const address = { kind: 'single' } as const
  if (rest.length > 0) return undefined
  return member === undefined ? { kind: 'record', address } : below(type, address, member)
}

function below(type: ContentType, address: Address, member: string): Target | undefined {
  const action = ACTIONS.find((each) => each === member)
  if (action) return type.draftAndPublish ? { kind: 'action', address, action } : undefined
  const relation = type.attribute.get(member)
  if (relation?.type !== 'relation' || relation.private) return undefined
  return { kind: 'related', address, relation, many: isToMany(relation) }
}

function addressOf(text: string): Address {
  if (isUuid(text)) return { kind: 'document', documentId: text.toLowerCase() }
  const id = parseIntegerId(text)
  return id === undefined ? { kind: 'nothing' } : { kind: 'id', id }
}

function templateOf({ kind }: ContentType, target: Target): string {
  const record = kind === 'singleType' ? '' : '/{id}'
  switch (target.kind) {
    case 'list':
      return ''
    case 'bulk':
      return '/bulk'
    case 'record':
      return record
    case 'action':
      return `${record}/${target.action}`
    case 'related':
      return `${record}/${target.relation.name}`
  }
}

function methodsOf(target: Target): readonly string[] {
  switch (target.kind) {
    case 'list':
      return ['GET', 'HEAD', 'POST']
    case 'record':
      return ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
    case 'related':
      return target.many ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
    default:
      return ['POST']
  }
}
