import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import Type from 'typebox'
import { type Actor, hasAccess, isUuid, notFound } from '#kernel'
import { badParameter } from '#paging'
import type { Consumer } from '../records.ts'
import { forbidden } from '../refusals.ts'

/** Whose subscriptions a request is about, and with which rights. */
export interface Caller {
  readonly actor: Actor
  readonly consumer: Consumer
  /** An admin who acts for somebody else (webhooks contract §1). */
  readonly isActing: boolean
}

export interface CallerDeps {
  findConsumer(id: string): Promise<Consumer | undefined>
}

export type CallerOf = (request: FastifyRequest) => Promise<Caller>

/** `?consumer_id=` lets an admin act as that consumer; for others it is forbidden. */
export function createCallerOf({ findConsumer }: CallerDeps): CallerOf {
  return async (request) => {
    const { actor } = request
    if (!actor) throw new Error('a webhook route was reached without an actor')
    const asked = consumerParameter(request)
    if (asked === undefined) {
      const own = await findConsumer(actor.consumerId)
      const consumer = own ?? { id: actor.consumerId, email: '', isStaff: false }
      return { actor, consumer, isActing: false }
    }
    if (!hasAccess(actor, 'admin')) throw forbidden('Only admins can act for another consumer')
    const consumer = isUuid(asked) ? await findConsumer(asked.toLowerCase()) : undefined
    if (!consumer) throw notFound('consumer')
    return { actor, consumer, isActing: true }
  }
}

export const CONSUMER = 'consumer_id'

function consumerParameter({ query }: FastifyRequest): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const value: unknown = Reflect.get(query, CONSUMER)
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw badParameter(CONSUMER, 'must be given once')
  return value
}

export const IdParams = Type.Object({ id: Type.String() })
export const DeliveryParams = Type.Object({ id: Type.String(), delivery_id: Type.String() })
export const ReplayParams = Type.Object({ id: Type.String(), replay_id: Type.String() })
export const NameParams = Type.Object({ name: Type.String() })

/** The schema of the body is for the reference; the handler's parser checks it. */
export const unchecked: Pick<RouteShorthandOptions, 'validatorCompiler'> = {
  validatorCompiler: () => (value: unknown) => ({ value }),
}

/** Answers that show a secret belong into no cache. */
export function noStore(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
}
