import assert from 'node:assert/strict'
import { createPayloadSchemas } from '#json-schema'
import { isObject } from '#kernel'

interface Body {
  readonly schema?: object
  readonly example?: unknown
}

interface Described {
  readonly required?: boolean
  readonly description?: string
  readonly content?: Readonly<Record<string, Body>>
}

interface Operation {
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, Described>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: object
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']
/** Answers that never end, are no JSON, or are empty: there is nothing to show. */
const STREAMED = /\/(stream|events|results|oauth\/revoke)$/

/**
 * Every operation shows what is sent and what is answered, and the example is as its schema says. `without` are
 * operations that have nothing to show.
 */
export function assertShown({ paths, components }: Document, without: RegExp): void {
  const check = createPayloadSchemas().createCheck(Number.MAX_SAFE_INTEGER)
  const faults: string[] = []
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!METHODS.includes(method)) continue
      const where = `${method} ${path}`
      if (without.test(where)) continue
      const { requestBody, responses } = operation
      // A form with a file has no JSON to show, and what need not be sent is not.
      const isSent = requestBody && isShown(requestBody, `${where}: request`)
      if (requestBody?.required && !isSent) faults.push(`${where}: request`)
      const good = Object.entries(responses).filter(([status]) => /^2/.test(status))
      const isBare = good.some(([status]) => status === '204')
      const isAnswerShown = good.some(([, each]) => isShown(each, `${where}: answer`))
      if (!isBare && !isAnswerShown && !STREAMED.test(path)) faults.push(`${where}: answer`)
    }
  }
  assert.deepEqual(faults, [], `${faults.length} without an example, or with a wrong one`)

  function isShown({ content = {} }: Described, where: string): boolean {
    const shown = Object.values(content).filter(({ example }) => example !== undefined)
    for (const { schema, example } of shown) {
      const text = JSON.stringify({ ...schema, components }, withoutLooking)
      for (const { path, message } of schema ? check(text, example) : []) {
        faults.push(`${where} ${path.join('.')}: ${message}`)
      }
      // Who sends back what was read sends more than is taken, and schemas of JSON:API name a part of it.
      const isWhole = where.endsWith(': answer') && !where.includes(' /jsonapi/')
      for (const path of isWhole ? strayMembers(schema, example, components) : []) {
        faults.push(`${where} ${path}: the schema does not know it`)
      }
    }
    return shown.length > 0
  }
}

/**
 * Members of an example that its schema does not name, although it names others. Schemas let them pass, answers do
 * not have them any more: the example is of an older version.
 */
function strayMembers(schema: unknown, example: unknown, components: object, at = ''): string[] {
  const { properties, items, additionalProperties } = resolved(schema, components)
  if (Array.isArray(example)) {
    return example.flatMap((item) => strayMembers(items, item, components, `${at}[]`))
  }
  if (!isObject(example) || !isObject(properties)) return []
  const isClosed = additionalProperties === undefined || additionalProperties === false
  return Object.entries(example).flatMap(([name, member]) => {
    const path = `${at}.${name}`
    if (!(name in properties)) return isClosed ? [path] : []
    return strayMembers(properties[name], member, components, path)
  })
}

/** What it refers to; nothing of a schema that is one of several, or several at once. */
function resolved(schema: unknown, components: object): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {}
  if (typeof schema['$ref'] === 'string') {
    const steps = schema['$ref'].replace('#/components/', '').split('/')
    let found: unknown = components
    for (const step of steps) found = isObject(found) ? found[step] : undefined
    return resolved(found, components)
  }
  return ['anyOf', 'oneOf', 'allOf', 'patternProperties'].some((word) => word in schema)
    ? {}
    : schema
}

/** Schemas are checked in linear time, which what looks ahead in a pattern is not. */
function withoutLooking(name: string, value: unknown): unknown {
  return name === 'pattern' && String(value).includes('(?') ? undefined : value
}
