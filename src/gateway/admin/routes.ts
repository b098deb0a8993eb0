/** The administration over HTTP: paths and bodies in, envelopes out (contract §2, §3.4). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { DomainError } from '#kernel'
import type { Plugins } from '../plugins/load.ts'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'
import { isScriptPlugin, mentionsScripts } from '../scripts/scripts.ts'
import type { AdminAuth, Operator } from './auth.ts'
import { pathOf, readBodies, sendDocument } from './bodies.ts'
import type { Configuration } from './configuration.ts'
import { keyNotFound, notSupported, refuse } from './errors.ts'
import type { History } from './history.ts'
import { type ListQuery, selectPage } from './lists.ts'
import type { Objects, Terms, Written } from './objects.ts'
import { pluginRoute, schemaRoute } from './reference.ts'
import { keyOf, renderObject } from './render.ts'
import type { Whole } from './whole.ts'

export interface AdminDeps {
  readonly auth: AdminAuth
  readonly configuration: Configuration
  readonly objects: Objects
  readonly whole: Whole
  readonly history: History
  readonly descriptions: ReadonlyMap<Kind, Description>
  readonly plugins: Plugins
  explain(body: unknown): unknown
  testScript(body: unknown): unknown
  /** Scripts are checked with their engine, which opens when it is first needed. */
  openScripts(): Promise<void>
}

/** What one call asks for. */
interface Call {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly operator: Operator
  readonly method: string
  readonly path: readonly string[]
  readonly query: ListQuery
  readonly body: unknown
}

const BODY_LIMIT = 1.5 * 1024 * 1024
const LONGEST_TTL_SECONDS = 10 * 365 * 86_400
const LONGEST_CONFIRM_SECONDS = 86_400
const ABSENT = Symbol('no body')
const HARMLESS = ['schema/validate', 'configs/validate', 'scripts/test']

export function adminRoutes(deps: AdminDeps): HttpPlugin {
  const { auth, configuration, objects, whole, history, descriptions, plugins } = deps
  return (app) => {
    readBodies(app)
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('x-api-version', 'v3')
    })
    // Not a short form of GET here: it tells that the administration is alive, without a key.
    app.route({ method: 'HEAD', url: '', handler: (_request, reply) => reply.code(200).send() })
    app.all('/*', { bodyLimit: BODY_LIMIT, onRequest: admit }, async (request, reply) => {
      const { method } = request
      const path = pathOf(request)
      const query = textsOf(request.query)
      if (mentionsScripts(request.body) || path.some(isScriptPlugin)) await deps.openScripts()
      const call = { request, reply, operator: operatorOf(request), method, path, query }
      return dispatch({ ...call, body: request.body ?? ABSENT })
    })
  }

  async function admit(request: FastifyRequest) {
    const operator = await auth.admit(request)
    auth.requireWrite(operator, isHarmless(request) ? 'GET' : request.method)
    operators.set(request, operator)
  }

  function dispatch(call: Call): unknown {
    const [first = ''] = call.path
    switch (first) {
      case 'plugins':
        return pluginRoute(call, plugins)
      case 'schema':
        return schemaRoute(call, { descriptions, plugins, validate: validateOne })
      case 'configs':
        return configs(call)
      case 'explain':
        if (call.method !== 'POST') throw notSupported(call.method, 'explain')
        return deps.explain(bodyOf(call))
      case 'scripts':
        if (call.path[1] !== 'test') break
        if (call.method !== 'POST') throw notSupported(call.method, 'scripts/test')
        return deps.testScript(bodyOf(call))
      case 'history':
        if (call.method !== 'GET') throw notSupported(call.method, 'history')
        return history.list(call.query)
      case 'rollback':
        if (call.method !== 'POST') throw notSupported(call.method, 'rollback')
        return history.rollback(bodyOf(call), call.operator.by)
      case 'confirm':
        if (call.method !== 'POST') throw notSupported(call.method, 'confirm')
        return history.confirm(call.operator.by)
      case 'stream_routes':
        throw refuse('stream mode is disabled')
    }
    return resource(call)
  }

  function validateOne(kind: Kind, body: unknown) {
    objects.validate(kind, body === ABSENT ? undefined : body)
  }

  function resource(call: Call): unknown {
    const { path, method } = call
    const [name = '', ...rest] = path
    const [username, word, ...below] = rest
    if (name === 'consumers' && word === 'credentials' && username !== undefined) {
      if (!configuration.find('consumers', username)) throw keyNotFound()
      return act(call, 'credentials', below, `${username}/`)
    }
    const kind = name === 'credentials' ? undefined : kindOf(name)
    if (!kind) {
      throw new DomainError(
        'not_found',
        'unsupported_resource',
        `Unsupported resource type: ${name}`,
      )
    }
    if (method !== 'PATCH' && rest.length > 1) throw refuse('the path names no resource')
    return act(call, kind, rest, '')
  }

  function act(call: Call, kind: Kind, path: readonly string[], below: string): unknown {
    const [short, ...members] = path
    const id = short === undefined ? undefined : `${below}${short}`
    switch (call.method) {
      case 'GET':
      case 'HEAD':
        return id === undefined ? list(call, kind, below) : show(call, kind, id)
      case 'PUT':
        return put(call, kind, id, below)
      case 'POST':
        if (id !== undefined) throw refuse('wrong id, do not need it')
        return create(call, kind)
      case 'PATCH':
        if (id === undefined) throw refuse('missing id')
        return patch(call, kind, id, members)
      case 'DELETE':
        if (id === undefined) throw refuse('missing id')
        return remove(call, kind, id)
      default:
        throw notSupported(call.method, descriptionOf(kind).noun)
    }
  }

  function list({ query, operator }: Call, kind: Kind, below: string) {
    const { total, objects: found } = selectPage(configuration.all(), kind, query, below)
    const description = descriptionOf(kind)
    return { total, list: found.map((object) => renderObject(object, description, operator)) }
  }

  function show({ reply, operator }: Call, kind: Kind, id: string) {
    const object = objects.get(kind, id)
    reply.header('etag', `"${object.modifiedIndex}"`)
    return renderObject(object, descriptionOf(kind), operator)
  }

  async function put(call: Call, kind: Kind, id: string | undefined, below: string) {
    const body = bodyOf(call)
    const given = id ?? (below === '' ? undefined : `${below}${idIn(body)}`)
    const terms = { ...termsOf(call), ttlMs: ttlOf(call) }
    return written(call, await objects.put(kind, given, body, terms))
  }

  async function create(call: Call, kind: Kind) {
    const { noun, isPutOnly, isNamed } = descriptionOf(kind)
    if (isPutOnly || isNamed) throw notSupported('POST', noun)
    const terms = { ...termsOf(call), ttlMs: ttlOf(call) }
    return written(call, await objects.create(kind, bodyOf(call), terms))
  }

  async function patch(call: Call, kind: Kind, id: string, members: readonly string[]) {
    const { noun, isPutOnly } = descriptionOf(kind)
    if (isPutOnly) throw notSupported('PATCH', noun)
    if (members.includes('__proto__')) throw refuse('invalid path: __proto__ is not a name')
    refuseTtl(call)
    const when = termsOf(call)
    const body = bodyOf(call)
    const done =
      members.length === 0
        ? await objects.patch(kind, id, body, when)
        : await objects.patchPath(kind, id, members, toJson(body), when)
    return written(call, done)
  }

  async function remove(call: Call, kind: Kind, id: string) {
    refuseTtl(call)
    await objects.remove(kind, id, call.query['force'] === 'true', termsOf(call))
    return { deleted: '1', key: keyOf(kind, id) }
  }

  function written({ reply, operator }: Call, { object, isNew }: Written) {
    reply.code(isNew ? 201 : 200).header('etag', `"${object.modifiedIndex}"`)
    return renderObject(object, descriptionOf(object.kind), operator)
  }

  async function configs(call: Call): Promise<unknown> {
    const { method, path, reply, operator, request } = call
    if (path[1] === 'validate') {
      if (method !== 'POST') throw notSupported(method, 'configs/validate')
      await whole.validate(bodyOf(call))
      return {}
    }
    if (method !== 'GET' && method !== 'HEAD' && method !== 'PUT') {
      throw notSupported(method, 'configs')
    }
    if (method === 'PUT') {
      const given = request.headers['x-digest']
      const isChanged = await whole.replace(bodyOf(call), {
        by: operator.by,
        digest: typeof given === 'string' ? given : undefined,
        confirmMs: secondsIn(call, 'confirm_within', LONGEST_CONFIRM_SECONDS),
      })
      describeWhole(reply)
      return reply.code(isChanged ? 202 : 204).send()
    }
    describeWhole(reply)
    return sendDocument(request, reply, whole.read(operator))
  }

  function describeWhole(reply: FastifyReply) {
    const { digest, lastModified } = whole.about()
    reply.header('x-digest', digest).header('x-last-modified', lastModified)
  }

  function kindOf(name: string): Kind | undefined {
    return [...descriptions.keys()].find((kind) => kind === name)
  }

  function descriptionOf(kind: Kind): Description {
    const found = descriptions.get(kind)
    if (!found) throw new Error(`there is no description of ${kind}`)
    return found
  }
}

const operators = new WeakMap<FastifyRequest, Operator>()

function operatorOf(request: FastifyRequest): Operator {
  const operator = operators.get(request)
  if (!operator) throw new Error('the request was not admitted')
  return operator
}

/** These change nothing, so viewers may call them. Only what is dispatched by counts, never the query or an id. */
function isHarmless(request: FastifyRequest): boolean {
  const [first = '', second = ''] = pathOf(request)
  return first === 'explain' || HARMLESS.includes(`${first}/${second}`)
}

function textsOf(query: unknown): ListQuery {
  const entries = Object.entries(typeof query === 'object' && query !== null ? query : {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  )
}

function bodyOf({ body }: Call): unknown {
  if (body === ABSENT) throw refuse('invalid request body: it is empty')
  return body
}

function toJson(body: unknown): Parameters<Objects['patchPath']>[3] {
  return JSON.parse(JSON.stringify(body))
}

function idIn(body: unknown): string {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined
  if (typeof id !== 'string' && typeof id !== 'number') throw refuse('missing id')
  return String(id)
}

function termsOf({ request, operator }: Call): Terms {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  return { by: operator.by, ifMatch, isCreateOnly: ifNoneMatch === '*' }
}

function ttlOf(call: Call): number | undefined {
  return secondsIn(call, 'ttl', LONGEST_TTL_SECONDS)
}

function refuseTtl({ query, method }: Call): void {
  if (query['ttl'] !== undefined) throw refuse(`ttl goes with PUT and POST, not with ${method}`)
}

/** A time of the query in milliseconds; undefined when it is not given. */
function secondsIn({ query }: Call, name: string, longest: number): number | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= longest) return seconds * 1000
  throw refuse(`${name} must be a number of seconds from 1 to ${longest}`)
}
