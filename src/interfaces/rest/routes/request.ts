import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRequired } from '#access'
import type { EntryTarget, LocaleChoice } from '#content'
import { type Actor, notFound, queryTextOf, reportUnknown } from '#kernel'
import type { Viewer } from '../deps.ts'
import { readParameters } from '../query/parameters.ts'
import type { Context } from '../query.ts'
import type { Address, Resource } from './resource.ts'

/** One request to a content resource, read once. */
export interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly resource: Resource
  readonly context: Context
  readonly actor: Actor
  readonly viewer: Viewer
}

export function read(request: FastifyRequest, reply: FastifyReply, resource: Resource): Asked {
  const { actor } = request
  if (!actor) throw keyRequired()
  const { model, type, version } = resource
  const parameters = readParameters(queryTextOf(request))
  const context = { model, type, version, parameters }
  return { request, reply, resource, context, actor, viewer: { level: actor.access } }
}

/** Names that nobody understood, in a header or, when the caller is strict, as a refusal. */
export function reportIgnored({ request, reply, context }: Asked, known: readonly string[]): void {
  reportUnknown(request, reply, context.parameters.names, known)
}

/** The variant that the path and `locale` choose; singles have no id in their path. */
export function targetOf(
  address: Exclude<Address, { kind: 'single' }>,
  locale: LocaleChoice,
): EntryTarget {
  if (address.kind === 'id') return { id: address.id }
  if (address.kind === 'nothing') throw notFound()
  return {
    documentId: address.documentId,
    locale: locale.kind === 'one' ? locale.code : null,
  }
}
