import { sendFailure } from './answer.ts'
import type { Context } from './context.ts'
import { type GraphqlOperation, parseGraphql } from './graphql.ts'
import { hasBody } from './http1/parse-request.ts'
import { headersOf } from './server/headers-of.ts'

/** A request's body that is looked at before the request is forwarded. */
export interface ReadBody {
  readonly chunks: Buffer[]
  bytes: number
  /** All of it is there; false: there is more than is looked at, and the rest comes as it is forwarded. */
  isWhole: boolean
  /** Nothing more is waited for. */
  isDone: boolean
  /** It was asked of the client. */
  readonly isTaken: boolean
  readonly done: () => void
  form: URLSearchParams | null | undefined
  graphql: GraphqlOperation | null | undefined
}

/** The largest body that is looked at (contract §4.2). */
export const MAX_READ_BYTES = 1024 * 1024
const WITHIN_MS = 60_000

/** Calls `done` when the body is there, is too large to be looked at, or there is none. */
export function readBody(ctx: Context, done: () => void): void {
  const { request } = ctx
  const isTaken = hasBody(request) && request.length <= MAX_READ_BYTES && !ctx.wantsSwitch
  const timer = isTaken ? setTimeout(() => tooSlow(ctx), WITHIN_MS) : undefined
  timer?.unref()
  ctx.readBody = {
    chunks: [],
    bytes: 0,
    isWhole: !hasBody(request),
    isDone: !isTaken,
    isTaken,
    done: () => {
      clearTimeout(timer)
      if (!ctx.isOver && !ctx.isAnswered) done()
    },
    form: undefined,
    graphql: undefined,
  }
  if (isTaken) ctx.client.takeBody()
  else done()
}

/** A piece of a body that is read; false: no more of it is wanted for now. */
export function keepPiece(body: ReadBody, chunk: Buffer): boolean {
  body.chunks.push(Buffer.from(chunk))
  body.bytes += chunk.length
  if (body.bytes <= MAX_READ_BYTES) return true
  body.isDone = true
  body.done()
  return false
}

export function keepEnd(body: ReadBody): void {
  body.isWhole = true
  body.isDone = true
  body.done()
}

/** The whole body as it came; undefined when it is too large. */
export function readBytes({ readBody: body }: Context): Buffer | undefined {
  return body?.isWhole ? Buffer.concat(body.chunks) : undefined
}

/** The whole body; undefined when it is too large or coded. */
export function wholeBody(ctx: Context): Buffer | undefined {
  return headersOf(ctx.request)['content-encoding'] === undefined ? readBytes(ctx) : undefined
}

/** A member of a form that was sent as the body. */
export function postArgument(ctx: Context, name: string): string | undefined {
  const { readBody: body } = ctx
  if (!body) return undefined
  if (body.form === undefined) {
    const bytes = typeOf(ctx) === 'application/x-www-form-urlencoded' ? wholeBody(ctx) : undefined
    body.form = bytes ? new URLSearchParams(bytes.toString('utf8')) : null
  }
  return body.form?.get(name) ?? undefined
}

/** The operation of GraphQL that the body asks for. */
export function graphqlOf(ctx: Context): GraphqlOperation | undefined {
  const { readBody: body } = ctx
  if (!body) return undefined
  if (body.graphql === undefined) body.graphql = operationIn(ctx) ?? null
  return body.graphql ?? undefined
}

function operationIn(ctx: Context): GraphqlOperation | undefined {
  const type = typeOf(ctx)
  const isJson = type === 'application/json'
  if (!isJson && type !== 'application/graphql') return undefined
  const text = wholeBody(ctx)?.toString('utf8')
  if (text === undefined) return undefined
  if (!isJson) return parseGraphql(text, undefined)
  try {
    const asked: unknown = JSON.parse(text)
    if (typeof asked !== 'object' || asked === null || !('query' in asked)) return undefined
    const name = 'operationName' in asked ? asked.operationName : undefined
    if (typeof asked.query !== 'string') return undefined
    return parseGraphql(asked.query, typeof name === 'string' ? name : undefined)
  } catch {
    return undefined
  }
}

/** The type of the body without its parameters. */
export function typeOf({ request }: Context): string {
  const [type = ''] = (headersOf(request)['content-type'] ?? '').split(';')
  return type.trim().toLowerCase()
}

/** Whether settings or conditions name a variable of the body. */
export function mentionsBody(value: unknown): boolean {
  return /post_arg_|graphql_(operation|name|root_fields)/.test(JSON.stringify(value) ?? '')
}

/** The client has let everybody wait for its body. */
export function tooSlow(ctx: Context): void {
  if (ctx.isOver || ctx.isAnswered) return
  ctx.client.closes = true
  sendFailure(ctx, 408, 'request_timeout', 'the body of the request did not come in time')
}
