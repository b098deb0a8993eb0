// Requests that no honest client sends, made from a seed and sent byte by byte over a socket, since
// HTTP clients refuse most of them. Request n of a seed is always the same one.
import { connect } from 'node:net'

/** One operation of an interface and what an honest request to it looks like. */
export interface HostileTarget {
  readonly method: string
  /** Ids in braces: `/api/v1/users/{id}`. */
  readonly path: string
  /** Ids that exist, so that some requests get past the look-up. */
  readonly ids?: readonly (string | number)[]
  /** Names of query parameters that have a meaning. */
  readonly query?: readonly string[]
  /** A JSON body; every member of it is replaced by hostile values in turn. */
  readonly body?: unknown
  /** A form body, instead of JSON. */
  readonly form?: Readonly<Record<string, string>>
  /** A file is expected in a form of several parts. */
  readonly multipart?: true
}

export interface HostileAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The parsed body, undefined when the body is no JSON. */
  readonly json: unknown
}

/** What is wrong with the body of an error, undefined when its shape is right. */
export type ErrorShape = (answer: HostileAnswer) => string | undefined

interface Attack {
  readonly url: string
  readonly targets: readonly HostileTarget[]
  readonly count: number
  readonly seed: number
  /** Of every request: the credential, for example. */
  readonly headers?: Readonly<Record<string, string>>
  readonly shape: ErrorShape
  readonly connections?: number
}

interface HostileRequest {
  readonly method: string
  readonly bytes: Buffer
  /** Cut off within its body: the server may close the connection without an answer. */
  readonly isCut: boolean
}

type Pick = <T>(items: readonly T[]) => T

const ANSWER_WITHIN_MS = 20_000
const CONNECTIONS = 6
/** What the parser of HTTP refuses is answered before anybody knows whose path it is. */
const PARSER_CODES = new Set(['malformed_request', 'headers_too_large', 'payload_too_large'])

/**
 * Sends all requests and throws when one is answered 5xx (a 503 with Retry-After is allowed), is not
 * answered, or has an error of another shape. Returns how often each status was answered.
 */
export async function sendHostile(attack: Attack): Promise<ReadonlyMap<number, number>> {
  const { url, count, seed, shape, connections = CONNECTIONS } = attack
  const statuses = new Map<number, number>()
  const complaints: string[] = []
  let next = 0
  await Promise.all(Array.from({ length: connections }, work))
  if (complaints.length === 0) return statuses
  throw new Error(
    `${complaints.length} of ${count} hostile requests:\n${complaints.slice(0, 10).join('\n')}`,
  )

  async function work() {
    while (next < count) {
      const number = next++
      const request = hostileRequest(attack, number)
      const complaint = await judge(request)
      if (complaint)
        complaints.push(`seed ${seed}, request ${number}: ${complaint}\n${shown(request)}`)
    }
  }

  async function judge(request: HostileRequest): Promise<string | undefined> {
    const answer = await exchange(url, request)
    if (typeof answer === 'string') return answer === CLOSED && request.isCut ? undefined : answer
    const { status } = answer
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 503 && !answer.headers.has('retry-after')) return '503 without Retry-After'
    if (status >= 500 && status !== 503) return `${status} ${answer.text.slice(0, 300)}`
    if (status < 400) return undefined
    if (request.method === 'HEAD') return answer.text === '' ? undefined : 'HEAD with a body'
    if (isOfParser(answer)) return undefined
    const wrong = shape(answer)
    return wrong && `${status}, ${wrong}: ${answer.text.slice(0, 300)}`
  }
}

/** `{ error: { code, message } }`, and the bare text of refused keys (`/api/v1`, `/webhooks`). */
export const houseErrors: ErrorShape = ({ status, headers, json }) => {
  if (!headers.get('content-type')?.startsWith('application/json')) return 'not JSON'
  const error = memberOf(json, 'error')
  if (status === 401 || status === 403) if (isText(error)) return undefined
  if (!isText(memberOf(error, 'code'))) return 'error.code is missing'
  return isText(memberOf(error, 'message')) ? undefined : 'error.message is missing'
}

/** RFC 6749 §5.2, and the house form where the caller himself is refused (`/oauth`). */
export const oauthErrors: ErrorShape = (answer) => {
  const { json } = answer
  if (!isText(memberOf(json, 'error'))) return houseErrors(answer)
  if (answer.status === 401 && !isText(memberOf(json, 'error_description'))) return undefined
  return isText(memberOf(json, 'error_description')) ? undefined : 'error_description is missing'
}

/** `{ data: null, error: { status, name, message, details } }` (`/api`). */
export const cmsErrors: ErrorShape = ({ status, json }) => {
  const error = memberOf(json, 'error')
  if (memberOf(error, 'status') !== status) return 'error.status is not the status'
  if (!isText(memberOf(error, 'name'))) return 'error.name is missing'
  return isText(memberOf(error, 'message')) ? undefined : 'error.message is missing'
}

/** `{ errors: [{ status, title, … }] }` (`/jsonapi`). */
export const jsonApiErrors: ErrorShape = ({ status, headers, json }) => {
  if (headers.get('content-type') !== 'application/vnd.api+json') return 'not of the media type'
  const errors = memberOf(json, 'errors')
  if (!Array.isArray(errors) || errors.length === 0) return 'errors is missing'
  return errors.every((error) => memberOf(error, 'status') === String(status))
    ? undefined
    : 'errors have another status'
}

/** RFC 9457 (`/cms/delivery`). */
export const problemErrors: ErrorShape = ({ status, headers, json }) => {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return 'not a problem'
  if (memberOf(json, 'status') !== status) return 'status is not the status'
  return isText(memberOf(json, 'title')) ? undefined : 'title is missing'
}

/** `{ error_msg }`, or `{ message }` where an object is not found (`/gateway/admin`). */
export const gatewayErrors: ErrorShape = ({ json }) =>
  isText(memberOf(json, 'error_msg')) || isText(memberOf(json, 'message'))
    ? undefined
    : 'error_msg is missing'

function isOfParser({ status, headers, text, json }: HostileAnswer): boolean {
  if (headers.get('connection') !== 'close') return false
  // A request without Host may be answered by the HTTP server itself, which sends no body.
  if (status === 400 && text === '' && !headers.has('x-request-id')) return true
  const code = memberOf(memberOf(json, 'error'), 'code')
  return typeof code === 'string' && PARSER_CODES.has(code)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

const LONG = 'x'.repeat(6_000)
const IDS = [
  ...['0', '-1', '1.5', '1e3', '0x10', 'abc', '99999999999999999999', '9007199254740993', 'null'],
  ...['%00', '1%00', '%', '%zz', '%E0%A4%A', '%ED%A0%80', '%ff%fe', '..%2f..', '%2e%2e', '%2F'],
  ...['__proto__', 'constructor', 'toString', 'NaN', 'undefined', "1'--", '1%20or%201=1', '1;2'],
  ...['00000000-0000-0000-0000-000000000000', '%F0%9F%98%80', '*', '.', '[]', '{}', '%0d%0aX:1'],
  ...['1,2', ' ', 'é', LONG.slice(0, 3_000), '%25%25', '1?', '#', '+1', '١'],
]
const VALUES = [
  ...['', '0', '-1', '1.5', '1e999', '-9223372036854775809', '9007199254740993', 'NaN', 'true'],
  ...['%00', 'a%00b', '%', '%zz', '%E0%A4%A', '%ED%A0%80', '%ff', '%F0%9F%98%80', '%20', '+'],
  ...['__proto__', 'constructor', '*', '**', 'null', '[]', '{}', '%7B%22a%22%3A1%7D', '%5B%5D'],
  ...["'", '%22', "'%20or%20''='", 'id;drop', '--', '%25', '\\', '2026-02-30', '0000-00-00'],
  ...['9999-99', '2026-13', '-271821-04-20', '%2B99:00', 'a,b,,c', ',', '1,2', 'x'.repeat(2_000)],
]
const NAMES = [
  ...[
    '__proto__',
    'constructor[prototype]',
    '__proto__[admin]',
    'a[b][c]',
    'a[]',
    'a[0]',
    '[',
    ']',
  ],
  ...[
    '%',
    '%00',
    '',
    'hasOwnProperty',
    'a%5Bb%5D',
    'toString',
    '%ED%A0%80',
    'a.b.c',
    'x'.repeat(500),
  ],
  `f${'[a]'.repeat(300)}`,
]
/** As JSON text, since several of them are no value of JavaScript. */
const JSON_VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e999', '-1e999', '9007199254740993'],
  ...['123456789012345678901234567890', '1e-400', '""', '"x"', '"\\u0000"', '"a\\u0000b"'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"__proto__"', '"\\u202e"', '[]', '{}', '[null]', '[[]]'],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}', '[{}]', '{"":""}'],
  ...['"2026-02-30T00:00:00Z"', '"+275760-09-13T00:00:00.001Z"', '"%00"', '"\\\\"', '" "'],
  ...[JSON.stringify(LONG), '"***"', '"file:///etc/passwd"', '"http://[::1"', '"é\\u0301"'],
  `${'['.repeat(400)}${']'.repeat(400)}`,
  `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`,
  `[${'0,'.repeat(3_000)}0]`,
]
const BODIES = [
  ...['', '{', '}', '[', 'null', '[]', '""', '0', 'true', '{"a":1', '{"a":}', "{'a':1}", '\u0000'],
  ...[
    '{"a":1}{"b":2}',
    '\ufeff{}',
    '{"__proto__":1}',
    '{"a":1,"a":2}',
    'NaN',
    '{"a":"\\ud8',
    'a=b',
  ],
  ...['%00=%00&a=%', '--x\r\n\r\n', '<xml/>', '['.repeat(20_000), `"${LONG}`, '{"\\u0000":1}'],
]
const TYPES = [
  ...['application/json', 'application/json', 'application/json; charset=utf-16', 'text/plain', ''],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
  ],
  ...['multipart/form-data; boundary=', 'application/vnd.api+json', 'application/xml', ';;;', 'x'],
  ...['application/json; charset="', 'APPLICATION/JSON', 'application/json;;', '*/*', 'a/b; c=\t'],
]
const HOSTS = [
  ...[
    '',
    '[::1',
    'a b',
    'a/b',
    'a@b',
    ':80',
    'a:99999999',
    'a:b',
    '%00',
    '%zz',
    '\u00e9',
    '[',
    '?',
  ],
  ...['x'.repeat(3_000), 'a\tb', '1.2.3.4.5:1', '..', 'a,b', '<script>', 'a#b', "a'b", 'a\\b'],
]
const HEADERS = [
  'Accept: ;;;q=x',
  'Accept: application/vnd.api+json; ext="x',
  'Accept-Language: *;q=nan,,;',
  'Authorization: Basic %%%',
  'Authorization: Bearer',
  'Authorization: \u0001',
  `Authorization: Bearer ${'a'.repeat(4_000)}`,
  'Cookie: entrepot_signin=%00; =; ;;',
  'Content-Encoding: gzip',
  'Content-Encoding: bogus',
  'Expect: 100-continue',
  'Idempotency-Key: \u00ff',
  `Idempotency-Key: ${'k'.repeat(2_000)}`,
  'Idempotency-Key: ',
  'If-Match: ***',
  'If-Match: "',
  'If-None-Match: W/"',
  'If-Modified-Since: never',
  'Last-Event-ID: -1e99',
  'Origin: null',
  'Origin: http://[',
  'Prefer: handling=strict',
  'Prefer: ;=,',
  'Range: bytes=-0,5-1,',
  'X-API-Key: ',
  'X-Forwarded-For: ,;::',
  'X-Forwarded-Proto: \\',
  'X-HTTP-Method-Override: TRACE',
  'X-Request-Id: \u00e9\u0001',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Upgrade: websocket',
  'Sec-Fetch-Site: elsewhere',
  `X-Long: ${LONG}`,
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** The number-th request of the attack's seed. */
function hostileRequest(
  { url, targets, seed, headers = {} }: Omit<Attack, 'count' | 'shape'>,
  number: number,
): HostileRequest {
  const random = createRandom(seed, number)
  const pick: Pick = (items) => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  const oneIn = (n: number) => random() * n < 1
  const target = pick(targets)
  const method = oneIn(15) ? pick(METHODS) : target.method
  const { body, type } = bodyOf(target, pick, oneIn)
  const isCut = body.length > 1 && oneIn(40)
  const lines = [
    `${method} ${pathOf(target, pick, oneIn)}${queryOf(target, pick, oneIn)} HTTP/1.1`,
    ...hostLines(new URL(url).host, pick, oneIn),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(body.length > 0 || oneIn(2) ? [`Content-Length: ${body.length}`] : []),
    ...(oneIn(4) ? [pick(HEADERS)] : []),
    'Connection: close',
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const sent = isCut ? body.subarray(0, body.length >> 1) : body
  // A length or coding that lies about the body is a body cut off, as the server sees it.
  const isLying = lines.some((line) => line === 'Content-Length: 5' || /^Transfer-/.test(line))
  return { method, bytes: Buffer.concat([head, sent]), isCut: isCut || isLying }
}

type OneIn = (n: number) => boolean

function pathOf({ path, ids = [] }: HostileTarget, pick: Pick, oneIn: OneIn): string {
  const named = path.replaceAll(/\{[^}]*\}/g, () =>
    ids.length > 0 && oneIn(2) ? String(pick(ids)) : pick(IDS),
  )
  if (!oneIn(20)) return named
  return pick([`${named}/`, `/${named}`, `${named}/${pick(IDS)}`, named.replaceAll('/', '//')])
}

function queryOf({ query = [] }: HostileTarget, pick: Pick, oneIn: OneIn): string {
  if (query.length === 0 ? !oneIn(6) : oneIn(4)) return ''
  const pairs: string[] = []
  do {
    const name = query.length > 0 && !oneIn(4) ? pick(query) : pick(NAMES)
    const nested = oneIn(6) ? pick(['[]', '[a]', '[__proto__]', '[$in][]', '[0][0]', '[']) : ''
    const pair = `${name}${nested}${oneIn(10) ? '' : '='}${pick(VALUES)}`
    pairs.push(...(oneIn(6) ? [pair, pair] : [pair]))
  } while (oneIn(2))
  if (oneIn(50)) pairs.push(...Array.from({ length: 500 }, (_, at) => `p${at}=${at}`))
  return `?${pairs.join(pick(['&', '&', '&', '&&', ';']))}`
}

function hostLines(host: string, pick: Pick, oneIn: OneIn): string[] {
  if (!oneIn(20)) return [`Host: ${host}`]
  return pick([[], [`Host: ${host}`, 'Host: other'], [`Host: ${pick(HOSTS)}`]])
}

function bodyOf(target: HostileTarget, pick: Pick, oneIn: OneIn) {
  const { body, form, multipart } = target
  const has = body !== undefined || form !== undefined || multipart !== undefined
  if (!has && !oneIn(10)) return { body: Buffer.alloc(0), type: undefined }
  if (!has || oneIn(6)) return { body: bytesOf(pick(BODIES), oneIn), type: pick(TYPES) }
  if (multipart) return partsBody(pick, oneIn)
  if (form) {
    const type = oneIn(8) ? pick(TYPES) : 'application/x-www-form-urlencoded'
    return { body: bytesOf(formText(form, pick, oneIn), oneIn), type }
  }
  const type = oneIn(8) ? pick(TYPES) : 'application/json'
  return { body: bytesOf(jsonText(body, pick, oneIn), oneIn), type }
}

/** Now and then with bytes that are no UTF-8. */
function bytesOf(text: string, oneIn: OneIn): Buffer {
  const bytes = Buffer.from(text)
  if (!oneIn(20)) return bytes
  return Buffer.concat([
    bytes.subarray(0, bytes.length >> 1),
    Buffer.from([0xed, 0xa0, 0x80, 0xff]),
  ])
}

function formText(form: Readonly<Record<string, string>>, pick: Pick, oneIn: OneIn): string {
  const pairs = Object.entries(form).map(([name, value]) => [name, encodeURIComponent(value)])
  const at = pick([...pairs.keys()])
  const changed = pairs.flatMap((pair, index) => {
    if (index !== at) return [pair]
    const [name = ''] = pair
    return pick([[], [[name, pick(VALUES)]], [pair, pair], [[pick(NAMES), pick(VALUES)], pair]])
  })
  const text = changed.map((pair) => pair.join('=')).join('&')
  return oneIn(15) ? text.slice(0, text.length >> 1) : text
}

/** The sample with one member replaced, left out, doubled, or with one that nobody knows. */
function jsonText(sample: unknown, pick: Pick, oneIn: OneIn): string {
  const places = placesOf(sample)
  const mark = '@hostile@'
  const place = pick(places)
  const marked = JSON.stringify(replaced(sample, place, mark))
  const text = oneIn(8)
    ? marked.replace(
        `"${mark}"`,
        () => `${pick(JSON_VALUES)},"${pick(NAMES).replaceAll('"', '')}":1`,
      )
    : marked.replace(`"${mark}"`, () => pick(JSON_VALUES))
  if (!oneIn(15)) return text
  return pick([text.slice(0, text.length >> 1), `${text}x`, `[${text}]`, text.replace('{', '{,')])
}

type Place = readonly (string | number)[]

/** Where a sample has a value, itself first. */
function placesOf(value: unknown, before: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [before]
  const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [before, ...inside.flatMap(([name, each]) => placesOf(each, [...before, name]))]
}

function replaced(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) return by
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map((each, at) => (at === first ? replaced(each, rest, by) : each))
    : Object.fromEntries(
        Object.entries(value).map(([name, each]) =>
          name === first ? [name, replaced(each, rest, by)] : [name, each],
        ),
      )
  return copy
}

function partsBody(pick: Pick, oneIn: OneIn) {
  const name = pick(['files', 'file', '__proto__', '', 'fileInfo', 'x"; filename="y', '\u0000'])
  const fileName = pick([
    'a.png',
    '',
    '../../a',
    'a\u0000.png',
    LONG.slice(0, 2_000),
    '%00',
    'a.svg',
  ])
  const lines = [
    '--edge',
    pick([
      `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`,
      `Content-Disposition: form-data; name="${name}"`,
      'Content-Disposition: form-data',
      'Content-Disposition: ;;;',
      'X: y',
    ]),
    pick(['Content-Type: image/png', 'Content-Type: ;', 'Content-Type: text/html']),
    '',
    pick(['', 'hello', pick(JSON_VALUES), LONG]),
    pick(['--edge--', '--edge--', '--edge', '', '--other--']),
    '',
  ]
  const text = lines.join('\r\n')
  const type = pick(['; boundary=edge', '; boundary=edge', '; boundary=', '', '; boundary="edge'])
  const body = Buffer.from(oneIn(4) ? text.slice(0, Math.floor(text.length / 3)) : text)
  return { body, type: `multipart/form-data${type}` }
}

const CLOSED = 'closed without an answer'

/** One request on a connection of its own; a text says why there is no answer. */
function exchange(url: string, request: HostileRequest): Promise<HostileAnswer | string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const chunks: Buffer[] = []
    const finish = (outcome: HostileAnswer | string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const end = () => {
      const bytes = Buffer.concat(chunks)
      finish(isNothing(bytes) ? CLOSED : (parseAnswer(bytes) ?? 'an answer that is no HTTP'))
    }
    const timer = setTimeout(() => finish('no answer in time'), ANSWER_WITHIN_MS)
    socket.on('data', (chunk) => {
      chunks.push(Buffer.from(chunk))
      // An event stream has no end.
      if (/^content-type: text\/event-stream/im.test(chunk.toString('latin1'))) end()
    })
    socket.on('end', end)
    // A server that has answered may reset a connection on which it has not read everything.
    socket.on('error', end)
    socket.on('connect', () => {
      if (request.isCut) socket.end(request.bytes)
      else socket.write(request.bytes)
    })
  })
}

/** An interim answer is none. */
function isNothing(bytes: Buffer): boolean {
  return bytes.length === 0 || /^HTTP\/1\.1 100 [^\r]*\r\n\r\n$/.test(bytes.toString('latin1'))
}

function parseAnswer(bytes: Buffer): HostileAnswer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (headEnd < 0 || !status) return undefined
  const rest = bytes.subarray(headEnd + 4)
  if (status < 200) return status === 101 ? toAnswer(101, new Map(), '') : parseAnswer(rest)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return toAnswer(status, headers, (isChunked ? withoutChunks(rest) : rest).toString())
}

function toAnswer(status: number, headers: ReadonlyMap<string, string>, text: string) {
  try {
    return { status, headers, text, json: JSON.parse(text) as unknown }
  } catch {
    return { status, headers, text, json: undefined }
  }
}

function withoutChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (lineEnd < 0 || !length) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
}

function shown({ bytes }: HostileRequest): string {
  return JSON.stringify(bytes.subarray(0, 600).toString('latin1'))
}

/** Numbers from 0 to 1, the same for the same seed and request (splitmix of 32 bits). */
function createRandom(seed: number, number: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) + Math.imul(number + 1, 0x85ebca6b)) | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
