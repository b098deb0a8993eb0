import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { sendRead, viewerOf } from '#content'
import {
  type HttpApp,
  methodNotAllowed,
  refuseMethods,
  sendHtml,
  unsupportedMediaType,
} from '#http'
import { addVary, parseMediaRanges, parseQuery, queryTextOf } from '#http-text'
import { DomainError, isObject } from '#kernel'
import type { GraphqlDeps } from './deps.ts'
import { Refused, type ShownError } from './errors.ts'
import { createDocuments } from './query/document.ts'
import { createExecution } from './read.ts'
import {
  acceptedBy,
  createDeadline,
  Malformed,
  parseParameter,
  parseSent,
  type Sent,
} from './request.ts'
import { graphiqlRoutes, mayExplore, sendGraphiql } from './routes/graphiql.ts'
import { createSchemas, FORMS, type Form } from './schema.ts'

const PATHS: Readonly<Record<Form, string>> = {
  cms: '/',
  offset: '/offset',
  connection: '/connection',
}
const BODY_BYTES = 1024 * 1024
const OTHERS: HTTPMethods[] = ['PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ALLOWED = ['GET', 'POST']

/** The mount of `/graphql`: three endpoints over one content store. */
export function createGraphql(deps: GraphqlDeps) {
  const schemas = createSchemas(deps.content)
  const documents = createDocuments(schemas)
  const { execute } = createExecution(deps)
  return { onRequest, plugin, close: schemas.close }

  /** Answers differ by these headers. */
  function onRequest(_request: FastifyRequest, reply: FastifyReply): void {
    addVary(reply, 'Accept, Authorization, X-API-Key')
  }

  async function plugin(app: HttpApp): Promise<void> {
    graphiqlRoutes(app)
    for (const form of FORMS) {
      const url = PATHS[form]
      const config = { access: 'none' } as const
      const cache = { headers: ['accept'], seen: () => seenAt(form) }
      app.get(url, { config: { ...config, cache } }, (request, reply) => get(form, request, reply))
      app.post(url, { config, bodyLimit: BODY_BYTES }, (request, reply) =>
        post(form, request, reply),
      )
      refuseMethods(app, { method: OTHERS, url, config }, ALLOWED)
      const sdl = `${url === '/' ? '' : url}/schema.graphql`
      app.get(sdl, { config }, (_, reply) => sendSdl(form, reply))
    }
  }

  /** What answers to a GET depend on besides their URL, level and entries. */
  function seenAt(form: Form): string | undefined {
    const schemasInForce = schemas.inForce(form)
    return schemasInForce && `${schemasInForce} ${Object.values(deps.settings()).join()}`
  }

  async function get(form: Form, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const given = parseQuery(queryTextOf(request))
    if (given['query'] === undefined && wantsPage(request)) {
      return mayExplore(request, deps.isDevelopment) ? sendGraphiql(reply) : sendPage(reply)
    }
    return answered(request, reply, async () => {
      const variables = parseParameter(given['variables'], 'variables')
      const extensions = parseParameter(given['extensions'], 'extensions')
      const sent = parseSent({ ...given, variables, extensions })
      return run(form, request, reply, sent, true)
    })
  }

  async function post(form: Form, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
    if (type !== 'application/json') throw unsupportedMediaType(['application/json'])
    return answered(request, reply, async () => {
      const { body } = request
      if (Array.isArray(body)) throw new Malformed('One request holds one operation, not a list')
      if (!isObject(body)) throw new Malformed('The body must be an object with a query')
      return run(form, request, reply, parseSent(body), false)
    })
  }

  async function run(
    form: Form,
    request: FastifyRequest,
    reply: FastifyReply,
    { query, operationName, variables }: Sent,
    isGet: boolean,
  ): Promise<Buffer> {
    const settings = deps.settings()
    const prepared = await documents.prepare(form, query, operationName, settings)
    if (isGet && prepared.operation.operation !== 'query') throw methodNotAllowed(reply, ['POST'])
    const deadline = createDeadline(settings.timeoutMs)
    const asked = { request, viewer: viewerOf(request), actor: request.actor, deadline }
    try {
      const executed = await execute(prepared, variables, asked, settings)
      if (isGet) return sendRead(request, reply, executed)
      reply.headers(executed.headers)
      return Buffer.from(executed.text)
    } finally {
      deadline.end()
    }
  }

  async function sendSdl(form: Form, reply: FastifyReply): Promise<string> {
    if (!deps.settings().introspection) {
      throw new DomainError('not_found', 'introspection_disabled', 'Schemas are not shown here')
    }
    const schema = await schemas.get(form)
    reply.type('text/plain; charset=utf-8')
    return schema.sdl()
  }
}

/** Contract §2: what was not executed has status 400, unless the client takes that for no answer. */
async function answered(
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<Buffer>,
): Promise<Buffer> {
  const accepted = acceptedBy(request)
  if (!accepted) {
    const types = 'application/graphql-response+json or application/json'
    throw new DomainError('not_acceptable', 'not_acceptable', `Answers are ${types}`)
  }
  const { type, isStrict } = accepted
  reply.type(type)
  try {
    return await run()
  } catch (error) {
    if (error instanceof Malformed) {
      reply.code(400)
      return toBody([{ message: error.message, extensions: { code: 'BAD_USER_INPUT' } }])
    }
    if (!(error instanceof Refused)) throw error
    reply.code(isStrict && !isUnknownHash(error) ? 400 : 200).headers(error.headers)
    return toBody(error.errors)
  }
}

function isUnknownHash({ errors }: Refused): boolean {
  return errors.some(({ extensions }) => extensions['code'] === 'PERSISTED_QUERY_NOT_SUPPORTED')
}

/** As bytes, so that the type is sent exactly so. */
function toBody(errors: readonly ShownError[]): Buffer {
  return Buffer.from(JSON.stringify({ errors }))
}

const ENDPOINTS = ['/graphql', '/graphql/offset', '/graphql/connection']

/** A browser that was pointed here. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return parseMediaRanges(headers.accept ?? '').some(({ type }) => type === 'text/html')
}

/** Names the endpoints, for whoever looks at them without a client. */
function sendPage(reply: FastifyReply) {
  const rows = ENDPOINTS.map(
    (path) => `<li><code>${path}</code> (<a href="${path}/schema.graphql">schema</a>)</li>`,
  )
  return sendHtml(
    reply,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>GraphQL</title>
<h1>GraphQL</h1>
<p>Send documents by POST to one of these; each has its own schema.</p>
<ul>${rows.join('')}</ul></html>`,
  )
}
