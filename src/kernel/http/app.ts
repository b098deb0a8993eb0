import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Actor } from '../actor.ts'

/** One scope of the server: schemas given as TypeBox types are the types of the handler. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What a module gives to the mount table: it registers its routes on the scope it is handed. */
export type HttpPlugin = (app: HttpApp) => void | Promise<void>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the part that checks credentials; the access log names its key. */
    actor: Actor | null
    /** The code of the error that was answered, for the access log. */
    refusal: string | null
    /** An event stream is over when the client leaves: not an aborted request. */
    isEventStream: boolean
  }
  interface FastifyInstance {
    /** Logs a failure of ours, once, with the request it belongs to and without its secrets. */
    reportFailure(error: unknown, request: FastifyRequest): void
    /** The database did not answer in time, as opposed to refusing: the caller may try again. */
    isUnavailable(error: unknown): boolean
  }
  interface FastifyContextConfig {
    /** `false`: no weak ETag over the body, for answers that are never asked for again. */
    etag?: boolean
    /** `false`: never compressed, for streams whose chunks must arrive at once. */
    compress?: boolean
  }
}
