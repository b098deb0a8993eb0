import { refTo, type Schema } from '#content-openapi'

/** A title and two sentences. */
export function words(summary: string, description: string) {
  return { summary, description }
}

export function dataOf(schema: Schema): Schema {
  return { type: 'object', properties: { data: schema }, required: ['data'] }
}

export function listOf(items: Schema): Schema {
  const properties = { data: { type: 'array', items }, meta: refTo('shared.meta') }
  return { type: 'object', properties, required: ['data', 'meta'] }
}

export function bodyOf(schema: Schema): Schema {
  return { required: true, content: { 'application/json': { schema } } }
}

export function answerOf(status: number, schema: Schema): Schema {
  const content = { 'application/json': { schema } }
  return { [status]: { description: 'Done', content } }
}
