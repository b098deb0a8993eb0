import assert from 'node:assert/strict'
import { createPayloadSchemas } from '#json-schema'

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
    }
    return shown.length > 0
  }
}

/** Schemas are checked in linear time, which what looks ahead in a pattern is not. */
function withoutLooking(name: string, value: unknown): unknown {
  return name === 'pattern' && String(value).includes('(?') ? undefined : value
}
