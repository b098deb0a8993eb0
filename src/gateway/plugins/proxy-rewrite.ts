import Type, { type Static } from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import type { Context } from '../plane/context.ts'
import { encodeTarget } from '../plane/encode-target.ts'
import { compileHeaderRules, headerRuleFaults, namesHeader } from '../plane/header-rules.ts'
import { addForwardHeader, setForwardHeader } from '../plane/headers.ts'
import { normalisePath } from '../plane/normalise.ts'
import { definePlugin } from '../plane/plugin.ts'
import { toFailure } from '../plane/refusal.ts'
import { compileTemplate, type Groups, NO_GROUPS, templateFault } from '../plane/template.ts'
import { FORWARDED_METHODS } from '../resources/methods.ts'

const SCHEMA = Type.Object({
  uri: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, pattern: '^/', expects: 'must be a path' }),
  ),
  regex_uri: Type.Optional(
    Type.Array(Type.String({ maxLength: 4096 }), { minItems: 2, maxItems: 200 }),
  ),
  method: Type.Optional(Type.Enum([...FORWARDED_METHODS])),
  host: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[A-Za-z0-9_.:\\[\\]-]+$',
      expects: 'must be a host, port allowed',
    }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Changes the request before it is forwarded; what the client sent stays what rules look at. */
export default definePlugin({
  name: 'proxy-rewrite',
  priority: 1008,
  schema: SCHEMA,
  unsupported: new Map<string, unknown>([
    ['use_real_request_uri_unsafe', false],
    ['scheme', undefined],
  ]),
  findFaults({ uri = '', regex_uri: rules = [], headers = {} }) {
    const odd = { path: '/regex_uri', message: 'must be pairs of pattern and replacement' }
    const groups = rules.map((source, at) => (at % 2 === 0 ? groupsIn(source) : 0))
    return [
      ...(rules.length % 2 === 1 ? [odd] : []),
      ...toFaults('/uri', templateFault(uri)),
      ...rules.flatMap((text, at) => {
        const message = at % 2 === 0 ? patternFault(text) : templateFault(text, groups[at - 1] ?? 0)
        return toFaults(`/regex_uri/${at}`, message)
      }),
      ...headerRuleFaults(headers, Math.max(0, ...groups)),
      ...hostFaults(headers),
    ]
  },
  setup(conf) {
    const rewrite = createRewrite(conf)
    const { set, add, remove } = compileHeaderRules(conf.headers ?? {})
    return {
      rewrite(ctx) {
        const groups = rewrite(ctx)
        if (groups === undefined) {
          return toFailure(ctx, 400, 'bad_request', 'the rewritten path is not correct')
        }
        if (conf.method) ctx.forwardMethod = conf.method
        if (conf.host) ctx.forwardHost = conf.host
        for (const [name, values] of add) {
          for (const value of values) addForwardHeader(ctx, name, value.render(ctx, groups))
        }
        for (const name of remove) setForwardHeader(ctx, name, null)
        for (const [name, values] of set) {
          const filled = values.map((value) => value.render(ctx, groups)).filter(Boolean)
          // An empty value removes.
          setForwardHeader(ctx, name, filled.length === 0 ? null : filled)
        }
        return undefined
      },
    }
  },
})

/** Undefined when what comes out is no path; else the groups of the pattern that matched. */
function createRewrite({ uri, regex_uri: rules = [] }: Static<typeof SCHEMA>) {
  const patterns = uri === undefined ? compileRules(rules) : []
  const own = uri === undefined ? null : compileTemplate(uri)
  return (ctx: Context): Groups | undefined => {
    if (own) return setPath(ctx, own.render(ctx)) ? NO_GROUPS : undefined
    for (const { pattern, replacement } of patterns) {
      const groups = pattern.match(ctx.path)
      if (groups) return setPath(ctx, replacement.render(ctx, groups)) ? groups : undefined
    }
    return NO_GROUPS
  }
}

function compileRules(rules: readonly string[]) {
  return rules.flatMap((source, at) =>
    at % 2 === 1
      ? []
      : [{ pattern: createPattern(source), replacement: compileTemplate(rules[at + 1] ?? '') }],
  )
}

/** The query is kept as far as no plugin has hidden it; one in the new path goes before it. */
function setPath(ctx: Context, target: string): boolean {
  const mark = target.indexOf('?')
  const path = normalisePath(encode(mark === -1 ? target : target.slice(0, mark)))
  if (path === undefined || !path.startsWith('/')) return false
  ctx.forwardPath = path
  if (mark !== -1) {
    const own = encode(target.slice(mark))
    ctx.forwardQuery = ctx.forwardQuery === '' ? own : `${own}&${ctx.forwardQuery.slice(1)}`
  }
  return true
}

/** Other servers take a backslash for a slash, and cut a target at a number sign. */
function encode(text: string): string {
  return encodeTarget(text).replaceAll('\\', '%5C').replaceAll('#', '%23')
}

function groupsIn(source: string): number {
  return patternFault(source) === null ? createPattern(source).groups : 0
}

/** RFC 9112 §3.2: a request has exactly one Host, so it is set and neither added nor removed. */
function hostFaults(headers: Record<string, unknown>) {
  return namesHeader(compileHeaderRules(headers), 'host')
    ? [{ path: '/headers', message: 'Host can be set, but neither added nor removed' }]
    : []
}

function toFaults(path: string, message: string | null) {
  return message === null ? [] : [{ path, message }]
}
