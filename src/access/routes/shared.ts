import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type Actor, badParameter, notFound, parseDate, parseIntegerId, parseTime } from '#kernel'
import { keyRequired } from '../refusals.ts'

/** The guard has let the request through, so there is one unless the route is public. */
export function actorOf(request: FastifyRequest): Actor {
  if (!request.actor) throw keyRequired()
  return request.actor
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

/** For the reference only: values are checked by `parseList`, which names them better. */
export function listParameters(filters: readonly string[]) {
  const names = ['page', 'per_page', 'after_id', 'before_id', 'limit', 'sort', 'order', ...filters]
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])),
    { additionalProperties: true },
  )
}

export function parseOneOf<Value extends string>(
  name: string,
  text: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined
  const found = values.find((value) => value === text)
  if (found === undefined) throw badParameter(name, `must be one of ${values.join(', ')}`)
  return found
}

export function parseIdFilter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const id = parseIntegerId(text)
  if (id === undefined) throw badParameter(name, 'must be an integer')
  return id
}

/** `created_after` (REST conventions §4): later than a time, or from the first instant of a date. */
export function parseAfter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = parseTime(text)
  const fromMs = timeMs === undefined ? parseDate(text) : timeMs + 1
  if (fromMs === undefined) throw badParameter(name, 'must be a date or a time with a time zone')
  return fromMs
}
