import Type from 'typebox'
import { createPayloadSchemas, problemsOfSchema } from '#json-schema'
import type { Context } from '../plane/context.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { toFailure } from '../plane/refusal.ts'
import { MAX_READ_BYTES, typeOf, wholeBody } from '../plane/request-body.ts'
import { headersOf } from '../plane/server/headers-of.ts'

const JSON_SCHEMA = Type.Object(
  {},
  { additionalProperties: true, expects: 'must be a JSON Schema, an object' },
)

const SCHEMA = Type.Object({
  header_schema: Type.Optional(JSON_SCHEMA),
  body_schema: Type.Optional(JSON_SCHEMA),
  rejected_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
  rejected_msg: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
})

/** What one request may cost: the thread has others to serve. */
const MAX_STEPS = 50_000
const SHOWN = 5
/** What checks a value goes down into it by recursion; the API takes no deeper ones either. */
const MAX_DEPTH = 100
const [QUOTE, BACKSLASH] = [34, 92]
const [OPENING, CLOSING] = [new Set([91, 123]), new Set([93, 125])]

/** Refuses requests whose headers or body do not fit a JSON Schema, before they reach the upstream. */
export default definePlugin({
  name: 'request-validation',
  priority: 2800,
  schema: SCHEMA,
  readsBody: ({ body_schema: schema }) => schema !== undefined,
  findFaults({ header_schema: headers, body_schema: body }) {
    const none = { path: '', message: 'one of header_schema and body_schema is required' }
    return [
      ...(headers === undefined && body === undefined ? [none] : []),
      ...schemaFaults(headers, 'header_schema'),
      ...schemaFaults(body, 'body_schema'),
    ]
  },
  setup({ header_schema: headers, body_schema: body, rejected_code: code = 400, ...rest }) {
    const schemas = createPayloadSchemas()
    const forHeaders = headers === undefined ? undefined : JSON.stringify(withLowerNames(headers))
    const forBody = body === undefined ? undefined : JSON.stringify(body)
    return {
      rewrite(ctx) {
        const check = schemas.createCheck(MAX_STEPS)
        if (forHeaders !== undefined) {
          const issues = check(forHeaders, { ...headersOf(ctx.request) })
          if (issues.length > 0) return refuse(ctx, sentenceOf('the headers are not valid', issues))
        }
        if (forBody === undefined) return undefined
        const read = parseBody(ctx)
        if ('answer' in read) return read.answer
        if ('fault' in read) return refuse(ctx, read.fault)
        const issues = check(forBody, read.value)
        if (issues.length === 0) return undefined
        return refuse(ctx, sentenceOf('the body is not valid', issues))
      },
    }

    function refuse(ctx: Context, message: string): PluginAnswer {
      const { rejected_msg: text } = rest
      if (text === undefined) return toFailure(ctx, code, 'bad_request', message)
      return { status: code, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: text }
    }
  },
})

type Parsed =
  | { readonly value: unknown }
  | { readonly fault: string }
  | { readonly answer: PluginAnswer }

/** JSON, or a form as an object of texts. */
function parseBody(ctx: Context): Parsed {
  if (!ctx.readBody?.isWhole) {
    const message = `a body that is checked has at most ${MAX_READ_BYTES} bytes`
    return { answer: toFailure(ctx, 413, 'payload_too_large', message) }
  }
  const bytes = wholeBody(ctx)
  if (!bytes) return { fault: 'a body that is checked must not have a content coding' }
  const text = bytes.toString('utf8')
  if (typeOf(ctx) === 'application/x-www-form-urlencoded') {
    return { value: Object.fromEntries(new URLSearchParams(text)) }
  }
  if (isTooDeep(text)) return { fault: `the body is nested deeper than ${MAX_DEPTH}` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: text === '' ? 'a body is required' : 'the body is not JSON' }
  }
}

/** By its text: parsing what is nested very deep already takes a tenth of a second. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInText = !isInText
    else if (isInText && code === BACKSLASH) at++
    else if (!isInText && OPENING.has(code)) depth++
    else if (!isInText && CLOSING.has(code)) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** Header names have no case; they are looked up in lower case. */
function withLowerNames(schema: object): object {
  const { properties, required }: Record<string, unknown> = { ...schema }
  const lower = (text: unknown) => String(text).toLowerCase()
  return {
    ...schema,
    ...(typeof properties === 'object' && properties !== null
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [lower(name), member]),
          ),
        }
      : {}),
    ...(Array.isArray(required) ? { required: required.map(lower) } : {}),
  }
}

type Issues = ReturnType<typeof problemsOfSchema>

function schemaFaults(schema: unknown, member: string) {
  if (schema === undefined) return []
  return problemsOfSchema(schema).map(({ path, message }) => {
    const inner = path.slice(1)
    const prefix = `${path.join('.')} `
    const text = message.startsWith(prefix) ? message.slice(prefix.length) : message
    return { path: `/${[member, ...inner].join('/')}`, message: text }
  })
}

function sentenceOf(what: string, issues: Issues): string {
  const shown = issues.slice(0, SHOWN).map(({ path, message }) => {
    return path.length === 0 ? message : `/${path.join('/')} ${message}`
  })
  return `${what}: ${shown.join('; ')}`
}
