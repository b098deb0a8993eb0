import type { Static, TSchema } from 'typebox'
import { isObject, memoize } from '#kernel'

export interface Fault {
  /** A JSON pointer without escapes, such as `/nodes/127.0.0.1:80`. */
  readonly path: string
  readonly message: string
}

/** The part of JSON Schema that the gateway's schemas use. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  /** Only for maps: one schema for every member. */
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly anyOf?: readonly Schema[]
  /** What a value must be, in words, where the rules alone would not say it well. */
  readonly expects?: string
}

export function conforms<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return check(schema, value).length === 0
}

/** Every fault of a value, not only the first. */
export function check(schema: TSchema, value: unknown): Fault[] {
  const faults: Fault[] = []
  visit(schema, value, '', faults)
  return faults
}

function visit(schema: Schema, value: unknown, path: string, faults: Fault[]) {
  const fail = (message: string) => void faults.push({ path, message })
  if (schema.anyOf) {
    if (!schema.anyOf.some((option) => accepts(option, value)))
      visitClosest(schema, value, path, faults)
    return
  }
  if (schema.const !== undefined && value !== schema.const) return fail(`must be ${schema.const}`)
  if (schema.enum && !schema.enum.includes(value)) {
    return fail(schema.expects ?? `must be one of ${schema.enum.join(', ')}`)
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      if (!isNumberOf(schema, value)) fail(numberText(schema))
      return
    case 'string':
      if (typeof value !== 'string' || !isTextOf(schema, value)) fail(textText(schema))
      return
    case 'boolean':
      if (typeof value !== 'boolean') fail('must be true or false')
      return
    case 'array':
      return visitArray(schema, value, path, faults)
    case 'object':
      return visitObject(schema, value, path, faults)
    default:
  }
}

function accepts(schema: Schema, value: unknown): boolean {
  const faults: Fault[] = []
  visit(schema, value, '', faults)
  return faults.length === 0
}

/** The faults of the one alternative that has the type of the value. */
function visitClosest(schema: Schema, value: unknown, path: string, faults: Fault[]) {
  const type = Array.isArray(value) ? 'array' : typeof value
  const close = schema.anyOf?.filter((option) => option.type === type) ?? []
  const [only] = close
  if (close.length === 1 && only) visit(only, value, path, faults)
  else faults.push({ path, message: schema.expects ?? 'has the wrong form' })
}

function visitArray(schema: Schema, value: unknown, path: string, faults: Fault[]) {
  const fail = (message: string) => void faults.push({ path, message })
  if (!Array.isArray(value)) return fail(schema.expects ?? 'must be a list')
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (value.length < minItems) fail(`must have at least ${minItems} items`)
  if (value.length > maxItems) fail(`must have at most ${maxItems} items`)
  if (schema.uniqueItems && new Set(value).size < value.length) fail('must not repeat an item')
  if (!items) return
  for (const [index, item] of value.entries()) visit(items, item, `${path}/${index}`, faults)
}

function visitObject(schema: Schema, value: unknown, path: string, faults: Fault[]) {
  if (!isObject(value)) {
    faults.push({ path, message: schema.expects ?? 'must be an object' })
    return
  }
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const [everyMember] = Object.values(patternProperties ?? {})
  for (const name of required) {
    if (!Object.hasOwn(value, name))
      faults.push({ path: `${path}/${name}`, message: 'is required' })
  }
  const members = Object.entries(value)
  if (members.length > (schema.maxProperties ?? Number.POSITIVE_INFINITY)) {
    faults.push({ path, message: `must have at most ${schema.maxProperties} members` })
  }
  if (members.length < (schema.minProperties ?? 0)) {
    faults.push({ path, message: `must have at least ${schema.minProperties} members` })
  }
  for (const [name, member] of members) {
    const at = `${path}/${name}`
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known) visit(known, member, at, faults)
    else if (everyMember) visit(everyMember, member, at, faults)
    else if (additionalProperties === false) faults.push({ path: at, message: 'is not known' })
    else if (typeof additionalProperties === 'object') {
      visit(additionalProperties, member, at, faults)
    }
  }
}

function isNumberOf(schema: Schema, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  if (schema.type === 'integer' && !Number.isInteger(value)) return false
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (value <= (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY)) return false
  return value >= minimum && value <= maximum
}

function numberText({ type, minimum, maximum, exclusiveMinimum, expects }: Schema): string {
  if (expects !== undefined) return expects
  const noun = type === 'integer' ? 'must be an integer' : 'must be a number'
  if (exclusiveMinimum !== undefined) return `${noun} > ${exclusiveMinimum}`
  if (minimum !== undefined && maximum !== undefined) return `${noun} from ${minimum} to ${maximum}`
  return minimum === undefined ? noun : `${noun} >= ${minimum}`
}

function isTextOf({ minLength = 0, maxLength, pattern }: Schema, value: string): boolean {
  if (value.length < minLength || value.length > (maxLength ?? Number.POSITIVE_INFINITY)) {
    return false
  }
  return pattern === undefined || regexOf(pattern).test(value)
}

function textText({ minLength, maxLength, pattern, expects }: Schema): string {
  if (expects !== undefined) return expects
  if (pattern !== undefined) return `must match ${pattern}`
  if (maxLength !== undefined)
    return `must be a text of ${minLength ?? 0} to ${maxLength} characters`
  return minLength ? 'must be a text, not empty' : 'must be a text'
}

/** The patterns are those of our own schemas: few, and none of them slow. */
const regexOf = memoize(1_000, (pattern: string) => new RegExp(pattern))
