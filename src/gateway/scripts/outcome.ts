import Type, { type Static } from 'typebox'
import type { Context } from '../plane/context.ts'
import {
  addAnswerHeader,
  addForwardHeader,
  removeAnswerHeader,
  setAnswerHeader,
  setForwardHeader,
} from '../plane/headers.ts'
import { normalisePath } from '../plane/normalise.ts'
import type { PluginAnswer } from '../plane/plugin.ts'
import { conforms } from '../resources/check.ts'
import { ScriptFailure } from './engine.ts'
import { PLAIN_OPERATIONS } from './host.ts'

const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()])

const TEXT_OR_TEXTS = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })])

const OUTCOME = Type.Object({
  changes: Type.Array(Type.Array(TEXT_OR_NULL, { minItems: 2, maxItems: 3 }), { maxItems: 1000 }),
  answer: Type.Union([
    Type.Null(),
    Type.Object({
      status: Type.Integer({ minimum: 200, maximum: 599 }),
      headers: Type.Record(Type.String(), TEXT_OR_TEXTS),
      body: TEXT_OR_NULL,
      isJson: Type.Boolean(),
    }),
  ]),
})

export type Outcome = Static<typeof OUTCOME>
export type Change = Outcome['changes'][number]

const NOTHING: Outcome = { changes: [], answer: null }

/** Believes nothing: a script can change whatever made the text. */
export function parseOutcome(text: string): Outcome {
  if (text === '') return NOTHING
  const parsed = parse(text)
  if (conforms(OUTCOME, parsed)) return parsed
  throw new ScriptFailure(
    'script_error',
    'the outcome is not what a script can have (1,000 changes)',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Deps {
  chooseUpstream(ctx: Context, id: string): void
}

type Apply = (ctx: Context, name: string, value: string | null, deps: Deps) => void

const APPLY: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  [
    'header',
    (ctx, name, value) => name.toLowerCase() !== 'host' && setForwardHeader(ctx, name, value),
  ],
  ['add-header', (ctx, name, value) => addForwardHeader(ctx, name, value ?? '')],
  ['query', setQuery],
  ['path', setPath],
  [
    'method',
    (ctx, method) => {
      if (isFine('check-method', method)) ctx.forwardMethod = method
    },
  ],
  [
    'host',
    (ctx, host) => {
      if (isFine('check-host', host)) ctx.forwardHost = host
    },
  ],
  [
    'body',
    (ctx, body) => {
      ctx.newBody = Buffer.from(body)
    },
  ],
  [
    'set',
    (ctx, name, value) => {
      ctx.extra ??= new Map()
      ctx.extra.set(`ctx_${name}`, value ?? '')
    },
  ],
  ['upstream', (ctx, id, _value, { chooseUpstream }) => chooseUpstream(ctx, id)],
])

/** Changes of the answer's headers are left to whoever knows when there is one. */
export function applyChanges(ctx: Context, changes: readonly Change[], deps: Deps): void {
  for (const [kind, name, value] of changes) {
    if (typeof kind === 'string' && typeof name === 'string') {
      APPLY.get(kind)?.(ctx, name, value ?? null, deps)
    }
  }
}

export function answerHeadersIn(changes: readonly Change[]): readonly Change[] {
  return changes.filter(([kind]) => kind === 'answer-header' || kind === 'add-answer-header')
}

export function applyAnswerHeaders(ctx: Context, changes: readonly Change[]): void {
  for (const [kind, name, value] of changes) {
    if (typeof name !== 'string') continue
    if (typeof value !== 'string') removeAnswerHeader(ctx, name)
    else if (kind === 'add-answer-header') addAnswerHeader(ctx, name, value)
    else setAnswerHeader(ctx, name, value)
  }
}

export function toAnswer({
  status,
  headers,
  body,
  isJson,
}: NonNullable<Outcome['answer']>): PluginAnswer {
  const type = isJson ? { 'Content-Type': 'application/json; charset=utf-8' } : TEXT
  const isEmpty = body === null || status === 204 || status === 304
  return {
    status,
    headers: isEmpty ? headers : { ...type, ...headers },
    ...(isEmpty ? {} : { body }),
  }
}

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }

function isFine(operation: string, value: string): boolean {
  return PLAIN_OPERATIONS.get(operation)?.(value, '') === undefined
}

function setPath(ctx: Context, path: string): void {
  const normal = isFine('check-path', path) ? normalisePath(path) : undefined
  if (normal !== undefined) ctx.forwardPath = normal
}

/** One value in place of all there were; null removes. */
function setQuery(ctx: Context, name: string, value: string | null): void {
  const query = new URLSearchParams(ctx.forwardQuery)
  if (value === null) query.delete(name)
  else query.set(name, value)
  const text = query.toString()
  ctx.forwardQuery = text === '' ? '' : `?${text}`
}
