import { renderError } from '#http-text'
import { DomainError } from '#kernel'
import type { Context } from './context.ts'
import type { PhaseResult, PluginAnswer } from './plugin.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A refusal of the access contract with the body and headers it has on the main API. */
export function toAnswer({ requestId }: Context, error: DomainError): PluginAnswer {
  const { status, body } = renderError(error, { requestId })
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE, ...error.headers }
  if (status === 503) headers['Retry-After'] = '1'
  return { status, headers, body: JSON.stringify(body) }
}

/** Contract §6.3: the shape of every failure of the gateway or of its upstream; told in the log, too. */
export function toFailure(
  ctx: Context,
  status: number,
  code: string,
  message: string,
): PluginAnswer {
  ctx.errorCode = code
  return { status, body: { error_msg: message, code, request_id: ctx.requestId } }
}

/** Refusals become answers, whether they come at once or later. */
export function answering(ctx: Context, work: () => PhaseResult): PhaseResult {
  const refuse = (error: unknown) => {
    if (error instanceof DomainError) return toAnswer(ctx, error)
    throw error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(refuse) : result
  } catch (error) {
    return refuse(error)
  }
}

/** At once when there is nothing to wait for. */
export function after<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
