import Type, { type Static } from 'typebox'
import { compileExpression } from '../expression/expression.ts'
import { createPattern, type PatternFlags, patternFault } from '../expression/pattern.ts'
import type { Context, RewriteBody } from '../plane/context.ts'
import { compileHeaderRules, headerRuleFaults } from '../plane/header-rules.ts'
import { addAnswerHeader, removeAnswerHeader } from '../plane/headers.ts'
import { definePlugin } from '../plane/plugin.ts'
import { compileTemplate, templateFault } from '../plane/template.ts'
import { lookUp } from '../plane/variables.ts'
import { varsFaults } from '../resources/faults.ts'

const FILTER = Type.Object({
  regex: Type.String({ minLength: 1 }),
  replace: Type.String({ maxLength: 65_536 }),
  scope: Type.Optional(Type.Enum(['once', 'global'])),
  options: Type.Optional(
    Type.String({ pattern: '^[ijosmu]*$', expects: 'must be of the letters i j o s m u' }),
  ),
})

const SCHEMA = Type.Object({
  status_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 598 })),
  body: Type.Optional(Type.String()),
  body_base64: Type.Optional(Type.Boolean()),
  headers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  filters: Type.Optional(Type.Array(FILTER, { minItems: 1, maxItems: 20 })),
  vars: Type.Optional(Type.Array(Type.Unknown())),
})

type Settings = Static<typeof SCHEMA>
type Filter = Static<typeof FILTER>

/** A variable in a replacement may be long, and the client's to choose. */
const MAX_CHANGED = 16 * 1024 * 1024
/** A whole body is searched, so patterns for it are smaller than for a path. */
const MAX_PROGRAM = 100
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Changes the answer on its way to the client. */
export default definePlugin({
  name: 'response-rewrite',
  priority: 899,
  schema: SCHEMA,
  findFaults: (conf) => [
    ...(conf.vars === undefined ? [] : varsFaults(conf.vars, '/vars')),
    ...headerRuleFaults(conf.headers ?? {}),
    ...bodyFaults(conf),
  ],
  setup({ status_code: status, body, body_base64: isCoded, headers = {}, filters, vars }) {
    const condition = vars?.length ? compileExpression(vars) : null
    const { set, add, remove } = compileHeaderRules(headers)
    const replaced = body === undefined ? null : Buffer.from(body, isCoded ? 'base64' : 'utf8')
    const steps = (filters ?? []).map(compileFilter)
    return {
      headerFilter(ctx) {
        if (condition && !condition((name) => lookUp(ctx, name))) return
        if (status !== undefined) ctx.status = status
        for (const [name, values] of add) {
          for (const value of values) addAnswerHeader(ctx, name, value.render(ctx))
        }
        for (const [name, values] of set) {
          removeAnswerHeader(ctx, name)
          for (const value of values) addUnlessEmpty(ctx, name, value.render(ctx))
        }
        for (const name of remove) removeAnswerHeader(ctx, name)
        if (replaced) ctx.replacedBody = replaced
        if (steps.length > 0) filterBody(ctx, steps)
      },
    }
  },
})

/** An empty value removes. */
function addUnlessEmpty(ctx: Context, name: string, value: string): void {
  if (value !== '') addAnswerHeader(ctx, name, value)
}

function bodyFaults({ body, body_base64: isCoded, filters = [] }: Settings) {
  const faults: { path: string; message: string }[] = []
  if (body !== undefined && filters.length > 0) {
    faults.push({ path: '/filters', message: 'must not stand beside body' })
  }
  if (isCoded && (!body || !BASE64.test(body))) {
    faults.push({ path: '/body', message: 'must be base64, as body_base64 says' })
  }
  for (const [index, { regex, replace }] of filters.entries()) {
    const broken = patternFault(regex, MAX_PROGRAM)
    const message = broken ?? templateFault(replace, createPattern(regex).groups)
    const member = broken ? 'regex' : 'replace'
    if (message) faults.push({ path: `/filters/${index}/${member}`, message })
  }
  return faults
}

type Step = (text: string, ctx: Context) => string | undefined

function compileFilter({ regex, replace, scope = 'once', options = '' }: Filter): Step {
  const pattern = createPattern(regex, flagsOf(options))
  const template = compileTemplate(replace)
  const how = { isEvery: scope === 'global', maxLength: MAX_CHANGED }
  return (text, ctx) => pattern.replace(text, (groups) => template.render(ctx, groups), how)
}

/** `j`, `o` and `u` say how an expression is run elsewhere; here it makes no difference. */
function flagsOf(options: string): PatternFlags {
  return {
    ignoreCase: options.includes('i'),
    isMultiline: options.includes('m'),
    isDotAll: options.includes('s'),
  }
}

/** A body that is no text is left alone: what cannot be read cannot be written back. */
function filterBody(ctx: Context, steps: readonly Step[]): void {
  const before = ctx.rewriteBody
  const rewrite: RewriteBody = (body) => {
    const text = body.toString('utf8')
    if (!Buffer.from(text).equals(body)) return body
    let changed: string | undefined = text
    for (const step of steps) changed = changed === undefined ? undefined : step(changed, ctx)
    return changed === undefined ? undefined : Buffer.from(changed)
  }
  ctx.rewriteBody = before ? (body) => andThen(before(body), rewrite) : rewrite
}

function andThen(body: Buffer | undefined, rewrite: RewriteBody): Buffer | undefined {
  return body === undefined ? undefined : rewrite(body)
}
