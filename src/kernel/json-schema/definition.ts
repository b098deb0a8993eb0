import type { Issue } from '../errors.ts'
import { isObject } from '../json.ts'
import { FORMATS } from './formats.ts'
import { compilePattern } from './pattern.ts'

// The part of JSON Schema 2020-12 that is understood. Anything else is refused rather than ignored:
// a rule that has no effect would be believed in.

type Path = readonly (string | number)[]
type CheckKeyword = (value: unknown, at: Path, look: Look) => Issue[]

interface Look {
  readonly root: unknown
  readonly depth: number
  readonly count: { nodes: number }
}

const MAX_DEPTH = 32
const MAX_NODES = 2_000
const MAX_SCHEMA_BYTES = 65_536
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

const KEYWORDS = new Map<string, CheckKeyword>([
  ...each(['title', 'description', '$comment', '$schema'], text),
  ...each(['default', 'const', 'examples'], () => []),
  ...each(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'], flag),
  ['type', types],
  ['enum', list],
  ['required', names],
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], figure),
  ['multipleOf', positive],
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], count),
  ...each(['minProperties', 'maxProperties'], count),
  ['pattern', pattern],
  ['format', format],
  ...each(['properties', '$defs', 'definitions', 'dependentSchemas'], schemas),
  ['patternProperties', patternSchemas],
  ['dependentRequired', nameLists],
  ...each(['items', 'contains', 'additionalProperties', 'propertyNames'], schema),
  ...each(['not', 'if', 'then', 'else'], schema),
  ...each(['allOf', 'anyOf', 'oneOf', 'prefixItems'], schemaList),
  ['$ref', reference],
])

export function checkSchema(given: unknown): Issue[] {
  if (JSON.stringify(given ?? null).length > MAX_SCHEMA_BYTES) {
    return [issue([], 'length', `must have at most ${MAX_SCHEMA_BYTES} bytes`)]
  }
  if (typeof given !== 'object') return [issue([], 'type', 'must be an object')]
  return schema(given, [], { root: given, depth: 0, count: { nodes: 0 } })
}

function schema(given: unknown, at: Path, look: Look): Issue[] {
  if (typeof given === 'boolean') return []
  if (!isObject(given)) return [issue(at, 'type', 'must be a schema: an object or a boolean')]
  if (look.depth >= MAX_DEPTH) return [issue(at, 'depth', `is nested deeper than ${MAX_DEPTH}`)]
  look.count.nodes += 1
  if (look.count.nodes === MAX_NODES) return [issue(at, 'length', 'has too many parts')]
  if (look.count.nodes > MAX_NODES) return []
  const below = { ...look, depth: look.depth + 1 }
  return Object.entries(given).flatMap(([name, value]) => {
    const check = KEYWORDS.get(name)
    const inner = [...at, name]
    return check ? check(value, inner, below) : [issue(inner, 'unsupported', 'is not supported')]
  })
}

function types(value: unknown, at: Path): Issue[] {
  const given: unknown[] = Array.isArray(value) ? value : [value]
  const isKnown = given.length > 0 && given.every((one) => TYPES.some((type) => type === one))
  return isKnown ? [] : [issue(at, 'enum', `must be of ${TYPES.join(', ')}`)]
}

function text(value: unknown, at: Path): Issue[] {
  return typeof value === 'string' ? [] : [issue(at, 'type', 'must be text')]
}

function flag(value: unknown, at: Path): Issue[] {
  return typeof value === 'boolean' ? [] : [issue(at, 'type', 'must be a boolean')]
}

function list(value: unknown, at: Path): Issue[] {
  return Array.isArray(value) ? [] : [issue(at, 'type', 'must be a list')]
}

function figure(value: unknown, at: Path): Issue[] {
  return Number.isFinite(value) ? [] : [issue(at, 'type', 'must be a number')]
}

function positive(value: unknown, at: Path): Issue[] {
  const isGood = typeof value === 'number' && Number.isFinite(value) && value > 0
  return isGood ? [] : [issue(at, 'range', 'must be a number above 0')]
}

function count(value: unknown, at: Path): Issue[] {
  const isGood = typeof value === 'number' && Number.isInteger(value) && value >= 0
  return isGood ? [] : [issue(at, 'range', 'must be an integer of 0 or more')]
}

function names(value: unknown, at: Path): Issue[] {
  const isGood = Array.isArray(value) && value.every((name) => typeof name === 'string')
  return isGood ? [] : [issue(at, 'type', 'must be a list of names')]
}

function pattern(value: unknown, at: Path): Issue[] {
  if (typeof value === 'string' && compilePattern(value)) return []
  const rule = 'must be a regular expression of at most 500 characters that runs in linear time'
  return [issue(at, 'format', `${rule}: no look-around, no back-references`)]
}

function format(value: unknown, at: Path): Issue[] {
  if (typeof value === 'string' && FORMATS.has(value)) return []
  return [issue(at, 'enum', `must be one of ${[...FORMATS.keys()].join(', ')}`)]
}

function schemas(value: unknown, at: Path, look: Look): Issue[] {
  if (!isObject(value)) return [issue(at, 'type', 'must be an object of schemas')]
  return Object.entries(value).flatMap(([name, one]) => schema(one, [...at, name], look))
}

function patternSchemas(value: unknown, at: Path, look: Look): Issue[] {
  const patterns = isObject(value) ? Object.keys(value) : []
  return [...patterns.flatMap((name) => pattern(name, [...at, name])), ...schemas(value, at, look)]
}

function schemaList(value: unknown, at: Path, look: Look): Issue[] {
  if (!Array.isArray(value) || value.length === 0) {
    return [issue(at, 'type', 'must be a list of schemas')]
  }
  return value.flatMap((one: unknown, index) => schema(one, [...at, index], look))
}

function nameLists(value: unknown, at: Path): Issue[] {
  if (!isObject(value)) return [issue(at, 'type', 'must be an object of lists of names')]
  return Object.entries(value).flatMap(([name, one]) => names(one, [...at, name]))
}

/** Nothing is fetched: a reference leads to a part of the same schema. */
function reference(value: unknown, at: Path, { root }: Look): Issue[] {
  const target = typeof value === 'string' ? resolveReference(root, value) : undefined
  if (target !== undefined) return []
  return [issue(at, 'reference', 'must name a part of this schema, such as #/$defs/address')]
}

/** By JSON pointer (RFC 6901); undefined when it leads nowhere, or to what is no schema. */
export function resolveReference(root: unknown, pointer: string): unknown {
  if (pointer === '#') return root
  if (!/^#\/(\$defs|definitions)\//.test(pointer)) return undefined
  let found = root
  for (const part of pointer.slice(2).split('/')) {
    const name = decode(part)
    if (!isObject(found) || name === undefined || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return isObject(found) || typeof found === 'boolean' ? found : undefined
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

function each(keywords: readonly string[], check: CheckKeyword): [string, CheckKeyword][] {
  return keywords.map((name) => [name, check])
}

function issue(at: Path, rule: string, message: string): Issue {
  const path = ['schema', ...at]
  return { path, rule, message: `${path.join('.')} ${message}` }
}
