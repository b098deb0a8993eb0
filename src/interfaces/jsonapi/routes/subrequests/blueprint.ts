import { DomainError, type Issue, isObject } from '#kernel'

/** One request of a blueprint. */
export interface Subrequest {
  readonly id: string
  readonly method: string
  /** May have tokens, as may the body. */
  readonly uri: string
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly waitFor: readonly string[]
}

const ROOT = '<ROOT>'
const MAX_REQUESTS = 50
/** How many may wait for each other in a row. */
const DEEPEST = 5

const METHODS: ReadonlyMap<string, string> = new Map([
  ['view', 'GET'],
  ['exists', 'HEAD'],
  ['discover', 'OPTIONS'],
  ['create', 'POST'],
  ['update', 'PATCH'],
  ['replace', 'PUT'],
  ['delete', 'DELETE'],
])
const READS = ['GET', 'HEAD', 'OPTIONS']

/** What a request may say for itself; where it comes from is said by the one that carries it. */
const HEADERS = new Set([
  ...['accept', 'accept-language', 'content-type', 'content-disposition', 'prefer'],
  ...['if-match', 'if-none-match', 'idempotency-key', 'x-api-version'],
  ...['authorization', 'x-api-key'],
])

/** In an order in which each stands behind those it waits for; throws 400 with all faults. */
export function parseBlueprint(given: unknown, isReadOnly: boolean): readonly Subrequest[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw refused([fault([], 'A blueprint is a list of requests')])
  }
  if (given.length > MAX_REQUESTS) {
    throw refused([fault([], `A blueprint may have ${MAX_REQUESTS} requests`)])
  }
  const issues: Issue[] = []
  const requests = given.map((each, at) => parseRequest(each, at, isReadOnly, issues))
  if (issues.length === 0) checkOrder(requests, issues)
  if (issues.length > 0) throw refused(issues)
  return inOrder(requests)
}

function parseRequest(
  given: unknown,
  at: number,
  isReadOnly: boolean,
  issues: Issue[],
): Subrequest {
  const members = new Map<string, unknown>(isObject(given) ? Object.entries(given) : [])
  const add = (name: string, message: string) => void issues.push(fault([at, name], message))
  if (!isObject(given)) issues.push(fault([at], 'A request is an object with action and uri'))
  const method = METHODS.get(String(members.get('action')))
  if (method === undefined) add('action', `action must be one of ${[...METHODS.keys()].join(', ')}`)
  else if (isReadOnly && !READS.includes(method)) add('action', 'Changes must be sent by POST')
  const uri = members.get('uri')
  if (typeof uri !== 'string' || uri === '') add('uri', 'uri must be the path of a resource')
  return {
    id: idIn(members.get('requestId'), at, add),
    method: method ?? '',
    uri: String(uri),
    body: bodyIn(members.get('body'), add),
    headers: headersIn(members.get('headers'), add),
    waitFor: waitForIn(members.get('waitFor'), add),
  }
}

type Add = (name: string, message: string) => void

function idIn(given: unknown, at: number, add: Add): string {
  if (given === undefined || given === null) return `request-${at + 1}`
  if (typeof given === 'string' && /^[\w.-]{1,100}$/.test(given)) return given
  add('requestId', 'requestId must be a text of letters, digits and the characters _ . -')
  return ''
}

/** Serialised already, as the form of blueprints has it, or JSON that is to be. */
function bodyIn(given: unknown, add: Add): string | undefined {
  if (given === undefined || given === null || typeof given === 'string') return given ?? undefined
  if (typeof given === 'object') return JSON.stringify(given)
  add('body', 'body must be a text or an object')
  return undefined
}

function headersIn(given: unknown, add: Add): Record<string, string> {
  if (given === undefined || given === null) return {}
  const headers: Record<string, string> = {}
  if (!isObject(given)) add('headers', 'headers must be an object')
  for (const [name, value] of Object.entries(given)) {
    const text = Array.isArray(value) ? value.join(', ') : value
    if (typeof text !== 'string' || /[^\t\x20-\x7e]/.test(text)) {
      add('headers', `${name.slice(0, 100)} must be a text`)
    } else if (HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = text
    else add('headers', `${name.slice(0, 100)} cannot be set for a single request`)
  }
  return headers
}

function waitForIn(given: unknown, add: Add): readonly string[] {
  if (given === undefined || given === null) return []
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  const ids = list.filter((id) => typeof id === 'string')
  if (ids.length < list.length) add('waitFor', 'waitFor must be a list of requestIds')
  // Named twice it is waited for once: all ways through the order are followed when it is checked.
  return [...new Set(ids)].filter((id) => id !== ROOT)
}

function checkOrder(requests: readonly Subrequest[], issues: Issue[]): void {
  const byId = new Map(requests.map((request) => [request.id, request]))
  for (const [at, request] of requests.entries()) {
    if (requests.findIndex(({ id }) => id === request.id) !== at) {
      issues.push(fault([at, 'requestId'], `${request.id} is there twice`))
    }
    const unknown = request.waitFor.find((id) => !byId.has(id))
    if (unknown !== undefined) {
      issues.push(fault([at, 'waitFor'], `There is no request ${unknown.slice(0, 100)}`))
    }
  }
  if (issues.length > 0) return
  for (const [at, { id }] of requests.entries()) {
    if (isDeeper(byId, id, DEEPEST)) {
      const message = `Requests may wait for each other ${DEEPEST} deep, and not for themselves`
      issues.push(fault([at, 'waitFor'], message))
    }
  }
}

function isDeeper(byId: ReadonlyMap<string, Subrequest>, id: string, left: number): boolean {
  if (left === 0) return true
  return byId.get(id)?.waitFor.some((other) => isDeeper(byId, other, left - 1)) ?? false
}

function inOrder(requests: readonly Subrequest[]): readonly Subrequest[] {
  const done = new Set<string>()
  const ordered: Subrequest[] = []
  while (ordered.length < requests.length) {
    const ready = requests.filter(
      ({ id, waitFor }) => !done.has(id) && waitFor.every((other) => done.has(other)),
    )
    for (const request of ready) done.add(request.id)
    ordered.push(...ready)
  }
  return ordered
}

function fault(path: readonly (string | number)[], message: string): Issue {
  return { path, rule: 'blueprint', message }
}

function refused(issues: readonly Issue[]): DomainError {
  const [first] = issues
  return new DomainError('invalid', 'invalid_blueprint', first?.message ?? '', { issues })
}
