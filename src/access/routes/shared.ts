import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type Actor, notFound } from '#kernel'
import { badParameter, parseIntegerId } from '#paging'
import { keyRequired } from '../refusals.ts'

/** The guard has let the request through, so there is one unless the route is public. */
/** Behind a guard that lets nobody in without a key there always is one. */
export function actorOf(request: FastifyRequest): Actor {
  if (!request.actor) throw keyRequired()
  return request.actor
}

/** Whoever presents no credential, where that may do something: the content store goes by its kind. */
const ANONYMOUS: Actor = {
  ...{ userId: 0, consumerId: '', apiKeyId: null, planId: null },
  ...{ access: 'read', kind: 'anonymous' },
}

/** Who writes, where the route lets everybody write. */
export function writerOf(request: FastifyRequest): Actor {
  return request.actor ?? ANONYMOUS
}

/** A path whose id cannot be one names nothing, exactly as an unknown id does. */
export function idOf({ params }: { params: { id: string } }, noun: string): number {
  const id = parseIntegerId(params.id)
  if (id === undefined) throw notFound(noun)
  return id
}

export const IdParams = Type.Object({ id: Type.String() })

/** Answers that show a secret, or say who is signed in, belong into no cache. */
export function noStore(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
}

export function dataOf<S extends TSchema>(schema: S) {
  return Type.Object({ data: schema })
}

export function listOf<S extends TSchema>(schema: S) {
  return Type.Object({
    data: Type.Array(schema),
    meta: Type.Object({}, { additionalProperties: true }),
  })
}

export function parseIdFilter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const id = parseIntegerId(text)
  if (id === undefined) throw badParameter(name, 'must be an integer')
  return id
}
