import { isObject } from '#kernel'
import { problemOfPattern } from './event-patterns.ts'
import { type Filter, parseFilter } from './filter.ts'
import { type Body, type Check, createCheck, parseNames, parseObject } from './input.ts'
import { isMasked } from './mask-headers.ts'

export interface SubscriptionInput {
  readonly endpointUrl: string
  readonly events: readonly string[]
  readonly eventPatterns?: readonly string[] | undefined
  readonly filter?: Filter | null | undefined
  readonly includeEntry?: boolean | undefined
  /** Absent: one is made. */
  readonly secret?: string | undefined
  readonly description?: string | null | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeoutSeconds?: number | undefined
  readonly isActive?: boolean | undefined
  readonly isOrdered?: boolean | undefined
  readonly maxPerSecond?: number | null | undefined
  readonly autoResume?: boolean | undefined
}

type Members = Omit<SubscriptionInput, 'endpointUrl' | 'events' | 'secret'> & {
  readonly endpointUrl?: string | undefined
  readonly events?: readonly string[] | undefined
}

export interface SubscriptionChange extends Members {
  readonly heldDeliveries?: 'release' | 'discard' | undefined
}

const MAX_URL = 2_048
const MAX_DESCRIPTION = 1_000
const MAX_EVENTS = 200
const MAX_PATTERNS = 20
const MAX_HEADERS = 20
const MAX_HEADER_VALUE = 1_024
const MAX_TIMEOUT_SECONDS = 60
/** The time between two requests stays below that of a lease: a node that takes over keeps it. */
const MIN_PER_SECOND = 0.1
const MAX_PER_SECOND = 1_000

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/
const PRINTABLE = /^[\x20-\x7e]*$/
/** Ours to set, or about the connection, which belongs to the client that sends. */
const FORBIDDEN_HEADER =
  /^(host|content-length|content-type|connection|transfer-encoding|upgrade|te|trailer|keep-alive|expect|http2-settings|user-agent|proxy-.*|webhook-.*)$/i
/** Doc 1 §8; for whoever moves here with receivers that know a secret. */
const SECRET = /^[\x20-\x7e]{32}$/

/** Webhooks contract §2.2; read-only and unknown members are ignored. */
export function parseNewSubscription(given: unknown): SubscriptionInput {
  const body = parseObject(given)
  const check = createCheck()
  const { endpointUrl, events, ...rest } = parseMembers(check, body)
  const secret = parseSecret(check, body['secret'])
  if (body['endpoint_url'] === undefined) check.refuse('endpoint_url', 'required', 'is required')
  if (isNothing(body['events']) && isNothing(body['event_patterns'])) requireSome(check)
  for (const [name, value] of Object.entries(rest.headers ?? {})) {
    if (isMasked(name, value)) {
      check.refuse('headers', 'masked', `has *** for ${JSON.stringify(name)} instead of its value`)
    }
  }
  check.done()
  return { endpointUrl: endpointUrl ?? '', events: events ?? [], ...rest, secret }
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

/** A subscription is to something. */
export function requireSome(check: Check): void {
  check.refuse('events', 'required', 'is required: name at least one event, or a pattern')
}

export function parseSubscriptionChange(given: unknown): SubscriptionChange {
  const body = parseObject(given)
  const check = createCheck()
  const change = parseMembers(check, body)
  const heldDeliveries = parseHeld(check, body['held_deliveries'])
  check.done()
  return { ...change, heldDeliveries }
}

function parseMembers(check: Check, body: Body): Members {
  return {
    endpointUrl: parseUrl(check, 'endpoint_url', body['endpoint_url']),
    events: parseOwnEvents(check, body['events']),
    eventPatterns: parsePatterns(check, body['event_patterns']),
    filter: parseFilter(check, body['filter']),
    includeEntry: parseFlag(check, 'include_entry', body['include_entry']),
    description: parseDescription(check, body['description']),
    headers: parseHeaders(check, body['headers']),
    timeoutSeconds: parseTimeout(check, body['timeout_seconds']),
    isActive: parseFlag(check, 'is_active', body['is_active']),
    isOrdered: parseFlag(check, 'ordered', body['ordered']),
    maxPerSecond: parseRate(check, body['max_per_second']),
    autoResume: parseFlag(check, 'auto_resume', body['auto_resume']),
  }
}

export function parseUrl(check: Check, field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') return check.refuse(field, 'type', 'must be a string')
  if (value.length > MAX_URL) {
    return check.refuse(field, 'length', `must have at most ${MAX_URL} characters`)
  }
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return check.refuse(field, 'format', 'must be an absolute http or https URL')
  }
  if (url.username !== '' || url.password !== '') {
    return check.refuse(field, 'format', 'must not contain a user name or password')
  }
  return value
}

export function parseEvents(check: Check, value: unknown): readonly string[] | undefined {
  return value === undefined ? undefined : parseNames(check, 'events', value, MAX_EVENTS)
}

/** Empty where patterns say what is subscribed to. */
function parseOwnEvents(check: Check, value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length === 0 ? [] : parseEvents(check, value)
}

function parsePatterns(check: Check, value: unknown): readonly string[] | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return value
  const patterns = parseNames(check, 'event_patterns', value, MAX_PATTERNS)
  for (const [at, pattern] of (patterns ?? []).entries()) {
    const problem = problemOfPattern(pattern)
    if (problem !== null) check.refuse(`event_patterns.${at}`, 'format', problem)
  }
  return patterns
}

function parseSecret(check: Check, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && SECRET.test(value))) return value
  return check.refuse('secret', 'format', 'must be exactly 32 printable ASCII characters')
}

function parseDescription(check: Check, value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value !== 'string') {
    return check.refuse('description', 'type', 'must be a string or null')
  }
  if (value.length <= MAX_DESCRIPTION) return value
  return check.refuse('description', 'length', `must have at most ${MAX_DESCRIPTION} characters`)
}

function parseTimeout(check: Check, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return check.refuse('timeout_seconds', 'type', 'must be an integer')
  }
  if (value >= 1 && value <= MAX_TIMEOUT_SECONDS) return value
  return check.refuse('timeout_seconds', 'range', `must be from 1 to ${MAX_TIMEOUT_SECONDS}`)
}

function parseRate(check: Check, value: unknown): number | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value !== 'number') {
    return check.refuse('max_per_second', 'type', 'must be a number or null')
  }
  if (value >= MIN_PER_SECOND && value <= MAX_PER_SECOND) return value
  const range = `from ${MIN_PER_SECOND} to ${MAX_PER_SECOND}`
  return check.refuse('max_per_second', 'range', `must be ${range}`)
}

function parseFlag(check: Check, field: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  return check.refuse(field, 'type', 'must be a boolean')
}

function parseHeld(check: Check, value: unknown): 'release' | 'discard' | undefined {
  if (value === undefined || value === 'release' || value === 'discard') return value
  return check.refuse('held_deliveries', 'enum', 'must be release or discard')
}

function parseHeaders(check: Check, value: unknown): Record<string, string> | undefined {
  if (value === undefined) return undefined
  if (!isObject(value)) return check.refuse('headers', 'type', 'must be an object')
  const entries = Object.entries(value)
  if (entries.length > MAX_HEADERS) {
    return check.refuse('headers', 'length', `must have at most ${MAX_HEADERS} members`)
  }
  const seen = new Set<string>()
  for (const [name, text] of entries) {
    const problem = problemOfHeader(name, text, seen)
    seen.add(name.toLowerCase())
    if (problem) check.refuse('headers', problem.rule, problem.message)
  }
  // Refused above are all values that are no text, and String() of an object may throw.
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function problemOfHeader(name: string, value: unknown, seen: ReadonlySet<string>) {
  const shown = JSON.stringify(name.slice(0, 64))
  if (!TOKEN.test(name)) {
    return { rule: 'format', message: `has the name ${shown}, which is not a header name` }
  }
  if (FORBIDDEN_HEADER.test(name)) {
    return { rule: 'forbidden', message: `must not set ${shown}` }
  }
  if (seen.has(name.toLowerCase())) {
    return { rule: 'unique', message: `has ${shown} twice; the case of a name makes no difference` }
  }
  if (typeof value !== 'string') return { rule: 'type', message: `must give ${shown} a string` }
  if (value.length > MAX_HEADER_VALUE || !PRINTABLE.test(value)) {
    const message = `must give ${shown} at most ${MAX_HEADER_VALUE} printable ASCII characters`
    return { rule: 'format', message }
  }
  return undefined
}
