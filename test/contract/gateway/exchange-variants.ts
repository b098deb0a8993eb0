/** Settings of plugins by their own schemas: every member, each value of a list, both ends of every bound. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export type Settings = Readonly<Record<string, unknown>>

/** Of every sort that some member takes: which one takes which is for its checks to say. */
const TEXTS = [
  ...['', '0', '/', '/a', 'a', 'ab', 'X-A', 'GET,POST', 'UTC', 'YWJj', 's'.repeat(16), '^/a(.*)$'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the gateway's own templates
  ...['$host', 'x$host', '${host}', '$host$uri', '$request_method', '$remote_addr $http_x'],
  ...[
    'remote_addr',
    'http_x',
    '*',
    '**',
    'null',
    'https://a.test',
    'https://a.test, https://b.test',
  ],
  ...['null,https://a.test', 'chrome-extension://a', 'http://a.test/x', 'http://a_b.test/x'],
  ...['http://_b.test/', 'https://ä.test/x', 'a.test', 'a_b.test', 'a.test:80', '[::1]:80'],
  ...['10.0.0.1', '10.0.0.0/08', '::1', 'fe80::/10', '::ffff:10.0.0.1', 'fe80::1%lo', 'a.log'],
]
/** Where a schema leaves it to the checks what an object holds. */
const OBJECTS = [
  ...[{}, { 'X-A': 'b' }, { 'X-A': 1 }, { 'X-A': '' }, { 'X-A': ['b', 'c'] }],
  ...[{ set: { 'X-A': 'b', 'X-B': '' }, add: { 'X-C': ['d', 'e'] }, remove: ['X-D'] }],
  ...[{ set: {}, remove: [] }, { set: { 'X-A': 'b' }, remove: ['x-a'] }, { add: ['X-A: b'] }],
  ...[{ add: { 'X-A': 'http://a.test' } }, { add: ['X-A: b:c'] }, { set: { 'X-A': [1, ''] } }],
  ...[{ set: { 'Set-Cookie': ['a', 'b'] } }, { add: { 'X-A': 1 } }, { remove: ['X-A'] }],
  ...[{ a: '$host', b: 5, c: true, d: null }, { a: '$time_iso8601' }],
  ...[{ type: 'object', required: ['a'] }, { prefixItems: [{}] }, { minContains: 1 }],
  ...[{ properties: { prefixItems: { type: 'string' } } }, { enum: ['prefixItems'] }],
  ...[{ properties: { a: { format: 'date' } } }, { anyOf: [{ format: 'ipv4' }] }],
  ...[{ nodes: { '127.0.0.1:9': 1 } }, { nodes: { 'a:1': 1 }, type: 'chash', key: 'http_x' }],
]
/** Members whose texts mean something to the gateway; to any other one text is like the next. */
const SPEAKING =
  /origins|uri$|^host$|^cache_|no_cache|list$|addresses|^source$|^key$|regex|redis_host/
const PLAIN = ['', 'a', '/a', 'https://a.test/x', 's'.repeat(16)]
const LISTS = [[], [['arg_a', '==', '1']]]
const LONG = 300

/** The base with each of its members in turn, and with as many as go together; beside others only the ends are tried. */
export function variantsOf({ properties = {} }: Schema, base: Settings, isFirst: boolean) {
  const members = Object.entries(properties)
  const first = members.flatMap(([name, schema]) => {
    const [value] = valuesOf(schema, name)
    return value === undefined || name in base ? [] : [[name, value]]
  })
  const one = members.flatMap(([name, schema]) => {
    const values = valuesOf(schema, name)
    const tried = isFirst ? values : [values[0], values.at(-1)]
    return tried.map((value): Settings => ({ ...base, [name]: value }))
  })
  return [base, ...one, { ...Object.fromEntries(first), ...base }]
}

function valuesOf(schema: Schema, name: string, depth = 0): unknown[] {
  if (schema.anyOf) return schema.anyOf.flatMap((option) => valuesOf(option, name, depth))
  if (schema.enum) return [...schema.enum]
  switch (schema.type) {
    case 'boolean':
      return [true, false]
    case 'integer':
    case 'number':
      return numbersOf(schema)
    case 'string':
      return textsOf(schema, SPEAKING.test(name) ? TEXTS : PLAIN)
    case 'array':
      return listsOf(schema, name, depth)
    case 'object':
      return objectsOf(schema, depth)
    default:
      return OBJECTS
  }
}

function numbersOf({ type, minimum, exclusiveMinimum = 0, maximum }: Schema): number[] {
  const least = minimum ?? exclusiveMinimum + (type === 'integer' ? 1 : 0.001)
  const between = type === 'integer' ? least + 1 : least + 0.5
  return maximum === undefined ? [least, between] : [least, between, maximum]
}

function textsOf({ minLength = 0, maxLength = LONG, pattern }: Schema, texts: readonly string[]) {
  const fits = new RegExp(pattern ?? '')
  const longest = 'a'.repeat(Math.min(maxLength, LONG))
  return [...texts, longest].filter(
    (text) => text.length >= minLength && text.length <= maxLength && fits.test(text),
  )
}

function listsOf({ items = {}, minItems = 0 }: Schema, name: string, depth: number): unknown[] {
  if (items.type === undefined && items.enum === undefined && !items.anyOf) return LISTS
  const values = valuesOf(items, name, depth + 1)
  const single = values.map((value) => Array.from({ length: Math.max(1, minItems) }, () => value))
  return [...(minItems === 0 ? [[]] : []), ...single, values.slice(0, 2)]
}

function objectsOf({ properties = {}, required = [] }: Schema, depth: number): unknown[] {
  const members = Object.entries(properties)
  if (members.length === 0 || depth > 3) return OBJECTS
  const base = Object.fromEntries(
    members
      .filter(([name]) => required.includes(name))
      .map(([name, one]) => [name, valuesOf(one, name, depth + 1)[0]]),
  )
  const others = members.flatMap(([name, one]) =>
    name === 'upstream'
      ? OBJECTS.map((value) => ({ ...base, upstream: value }))
      : valuesOf(one, name, depth + 1).map((value) => ({ ...base, [name]: value })),
  )
  return [base, ...others]
}
