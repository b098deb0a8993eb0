/** Requests made from an OpenAPI document: mostly fitting, partly not, always the same for a seed. */

type Json = Record<string, unknown>

export interface GeneratedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
}

interface Options {
  readonly seed: number
  readonly count: number
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head']
const STRANGE = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    'null',
    'true',
    '1e309',
    '%',
    "' or 1=1 --",
    '__proto__',
    'ÜñΩ',
    '\u0001',
  ],
  ...['9223372036854775808', '2025-02-30', 'a'.repeat(5_000), '[]', '{}', '../..', '\ud83d\ude00'],
]

export function generateRequests(document: Json, { seed, count }: Options): GeneratedRequest[] {
  const random = createRandom(seed)
  const operations = operationsOf(document)
  return Array.from({ length: count }, (_, at) => {
    const operation = operations[at % operations.length] ?? random.pick(operations)
    return toRequest(document, operation, random)
  })
}

interface Operation {
  readonly path: string
  readonly method: string
  readonly parameters: readonly Json[]
  readonly body: Json | undefined
}

function operationsOf(document: Json): Operation[] {
  return Object.entries(object(document['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => method in object(item)).map((method) => {
      const operation = object(object(item)[method])
      const shared = list(object(item)['parameters'])
      const content = object(object(operation['requestBody'])['content'])
      const json = content['application/json']
      const body = json === undefined ? undefined : object(object(json)['schema'])
      const parameters = [...shared, ...list(operation['parameters'])]
      return { path, method, body, parameters: parameters.map((each) => resolve(document, each)) }
    }),
  )
}

function toRequest(document: Json, operation: Operation, random: Random): GeneratedRequest {
  const { path, method, parameters, body } = operation
  const valueFor = (parameter: Json) => textOf(document, object(parameter['schema']), random)
  const filled = path.replaceAll(/\{(\w+)\}/g, () =>
    encodeURIComponent(random.pick(['1', '2', '7', '999999', random.pick(STRANGE) || 'x'])),
  )
  const query = parameters
    .filter((parameter) => parameter['in'] === 'query' && random.chance(0.15))
    .map(
      (parameter) =>
        `${encodeURIComponent(String(parameter['name']))}=${encodeURIComponent(valueFor(parameter))}`,
    )
  const extra = random.chance(0.1)
    ? [
        `filters[${random.pick(['title', 'id', 'author', 'x'])}][${random.pick(['$eq', '$in', '$like', 'name'])}]=${encodeURIComponent(random.pick(STRANGE))}`,
      ]
    : []
  const text = [...query, ...extra].join('&')
  const url = text === '' ? filled : `${filled}?${text}`
  if (body === undefined) return { method: method.toUpperCase(), url, headers: {} }
  const value = random.chance(0.1) ? strangeValue(random) : makeValue(document, body, random, 0)
  const json = JSON.stringify(value)
  return {
    method: method.toUpperCase(),
    url,
    headers: { 'content-type': random.chance(0.03) ? 'text/plain' : 'application/json' },
    body: random.chance(0.03) ? json.slice(0, -1) : json,
  }
}

function textOf(document: Json, schema: Json, random: Random): string {
  if (random.chance(0.35)) return random.pick(STRANGE)
  const value = makeValue(document, schema, random, 0)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function makeValue(document: Json, given: Json, random: Random, depth: number): unknown {
  const schema = resolve(document, given)
  if (random.chance(0.06)) return strangeValue(random)
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
  const choices = list(schema['anyOf'] ?? schema['oneOf'])
  if (choices.length > 0) return makeValue(document, random.pick(choices), random, depth + 1)
  const types = [schema['type']].flat()
  switch (random.pick(types)) {
    case 'object':
      return objectOf(document, schema, random, depth)
    case 'array': {
      const length = depth > 4 ? 0 : random.below(4)
      const items = object(schema['items'])
      return Array.from({ length }, () => makeValue(document, items, random, depth + 1))
    }
    case 'integer':
      return random.pick([0, 1, 2, 7, -1, 2 ** 31, 999_999])
    case 'number':
      return random.pick([0, 0.5, -3.25, 1e15, 12.345])
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'string':
      return stringOf(schema, random)
    default:
      return random.pick([null, 1, 'x', { a: [1] }])
  }
}

function objectOf(document: Json, schema: Json, random: Random, depth: number): Json {
  const required = list(schema['required']).map(String)
  const members = Object.entries(object(schema['properties'])).filter(
    ([name]) =>
      random.chance(depth > 3 ? 0.1 : 0.5) || (required.includes(name) && random.chance(0.9)),
  )
  const made = members.map(([name, each]) => [
    name,
    makeValue(document, object(each), random, depth + 1),
  ])
  if (random.chance(0.05)) made.push([random.pick(['x', 'constructor', 'id', 'created_at']), 1])
  return Object.fromEntries(made)
}

function stringOf(schema: Json, random: Random): string {
  switch (schema['format']) {
    case 'uuid':
      return '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001'
    case 'date':
      return '2025-03-02'
    case 'date-time':
      return '2025-03-02T08:15:00.000Z'
    default:
      return random.chance(0.3) ? random.pick(STRANGE) : `text ${random.below(1_000)}`
  }
}

function strangeValue(random: Random): unknown {
  return random.pick([
    null,
    [],
    {},
    '',
    -1,
    1e308,
    true,
    [[[[]]]],
    { set: [1], connect: [2] },
    ...STRANGE,
  ])
}

function resolve(document: Json, given: unknown): Json {
  const schema = object(given)
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const steps = reference.slice(2).split('/')
  let found: unknown = document
  for (const step of steps) found = object(found)[step]
  return object(found)
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

type Random = ReturnType<typeof createRandom>

/** A small generator with a seed (mulberry32). */
function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share: number) => next() < share,
    pick<T>(items: readonly T[]): T {
      const item = items[below(items.length)]
      if (item === undefined && items.length === 0) throw new Error('nothing to pick from')
      return item as T
    },
  }
}
