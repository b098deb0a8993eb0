import type { RenderError } from '#http'
import { renderError } from '#http-text'
import type { DomainError } from '#kernel'

/**
 * Contract §11: `message` as clients of this resource read it, `error` as Doc 2 has it; where the key
 * itself is refused that is a text.
 */
export const renderStockError: RenderError = (error, context) => {
  const rendered = renderError(error, context)
  const body = typeof rendered.body === 'object' ? rendered.body : {}
  return { ...rendered, body: { message: messageOf(error), ...body } }
}

function messageOf({ kind, message }: DomainError): string {
  return kind === 'internal' ? 'An unexpected error occurred' : message
}
