import type { RenderError } from '#http'
import { renderError } from '#http-text'
import { UNKNOWN_EVENTS } from './refusals.ts'

/** The house envelope but for one body that Doc 1 §4.2 shows. */
export const renderWebhooksError: RenderError = (error, context) => {
  const rendered = renderError(error, context)
  if (error.code !== UNKNOWN_EVENTS) return rendered
  return { ...rendered, body: { error: error.message, ...error.facts } }
}
