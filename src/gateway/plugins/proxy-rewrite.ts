import Type, { type Static } from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import type { Context } from '../plane/context.ts'
import { addForwardHeader, setForwardHeader } from '../plane/headers.ts'
import { normalisePath } from '../plane/normalise.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { renderTemplate } from '../plane/variables.ts'

const NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PURGE',
] as const

const SCHEMA = Type.Object({
  uri: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, pattern: '^/', expects: 'must be a path' }),
  ),
  regex_uri: Type.Optional(Type.Array(Type.String(), { minItems: 2 })),
  method: Type.Optional(Type.Enum([...METHODS])),
  host: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_.:\\[\\]-]+$', expects: 'must be a host, port allowed' }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Changes the request before it is forwarded; what the client sent stays what rules look at. */
export default definePlugin({
  name: 'proxy-rewrite',
  priority: 1008,
  schema: SCHEMA,
  findFaults(conf) {
    const { regex_uri: rules = [], headers = {} } = conf
    const odd = { path: '/regex_uri', message: 'must be pairs of pattern and replacement' }
    const faults = rules.length % 2 === 1 ? [odd] : []
    for (let at = 0; at < rules.length; at += 2) {
      const message = patternFault(rules[at])
      if (message) faults.push({ path: `/regex_uri/${at}`, message })
    }
    return [...faults, ...headerFaults(headers)]
  },
  setup(conf) {
    const rewrite = createRewrite(conf)
    const { set, add, remove } = readHeaders(conf.headers ?? {})
    return {
      rewrite(ctx) {
        const groups = rewrite(ctx)
        if (groups === undefined) return BAD_TARGET
        if (conf.method) ctx.forwardMethod = conf.method
        if (conf.host) ctx.forwardHost = conf.host
        for (const name of remove) setForwardHeader(ctx, name, null)
        for (const [name, value] of set) setForwardHeader(ctx, name, fill(ctx, value, groups))
        for (const [name, value] of add) addForwardHeader(ctx, name, fill(ctx, value, groups))
        return undefined
      },
    }
  },
})

type Groups = readonly (string | null)[]

const NO_GROUPS: Groups = []
const BAD_TARGET: PluginAnswer = {
  status: 400,
  body: { error_msg: 'the rewritten path is not correct', code: 'bad_request' },
}

/** Undefined when what comes out is no path; else the groups of the pattern that matched. */
function createRewrite({ uri, regex_uri: rules = [] }: Static<typeof SCHEMA>) {
  const patterns = uri === undefined ? compileRules(rules) : []
  return (ctx: Context): Groups | undefined => {
    if (uri !== undefined) return setPath(ctx, renderTemplate(ctx, uri)) ? NO_GROUPS : undefined
    for (const { pattern, replacement } of patterns) {
      const groups = pattern.match(ctx.path)
      if (groups) return setPath(ctx, fill(ctx, replacement, groups)) ? groups : undefined
    }
    return NO_GROUPS
  }
}

function compileRules(rules: readonly string[]) {
  return rules.flatMap((source, at) =>
    at % 2 === 1 ? [] : [{ pattern: createPattern(source), replacement: rules[at + 1] ?? '' }],
  )
}

/** The query of the client is kept; one in the new path goes before it. */
function setPath(ctx: Context, target: string): boolean {
  const mark = target.indexOf('?')
  const path = normalisePath(encode(mark === -1 ? target : target.slice(0, mark)))
  if (path === undefined || !path.startsWith('/')) return false
  ctx.forwardPath = path
  if (mark !== -1) {
    const own = encode(target.slice(mark))
    ctx.forwardQuery = ctx.query === '' ? own : `${own}&${ctx.query.slice(1)}`
  }
  return true
}

/** Whatever came in through a variable: no space, CR or LF ever reaches the request line. */
function encode(text: string): string {
  return text.replace(/[\0-\x20\x7f-\uffff\\#]/g, (character) =>
    Buffer.from(character).reduce(
      (out, byte) => `${out}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      '',
    ),
  )
}

function fill(ctx: Context, template: string, groups: Groups): string {
  if (!template.includes('$')) return template
  const filled = template.replace(/\$(\d)/g, (_all, digit) => groups[Number(digit)] ?? '')
  return renderTemplate(ctx, filled)
}

interface HeaderRules {
  readonly set: [string, string][]
  readonly add: [string, string][]
  readonly remove: string[]
}

/** `{set, add, remove}`, or a plain map, which sets. */
function readHeaders(headers: Record<string, unknown>): HeaderRules {
  if (!isGrouped(headers)) return { set: pairs(headers), add: [], remove: [] }
  const remove = Array.isArray(headers['remove']) ? headers['remove'].map(String) : []
  return { set: pairs(headers['set']), add: pairs(headers['add']), remove }
}

function isGrouped(headers: Record<string, unknown>): boolean {
  const { set, add, remove } = headers
  return isMap(set) || isMap(add) || Array.isArray(remove)
}

function pairs(map: unknown): [string, string][] {
  return isMap(map) ? Object.entries(map).map(([name, value]) => [name, String(value)]) : []
}

function headerFaults(headers: Record<string, unknown>) {
  const faults: { path: string; message: string }[] = []
  const groups: [string, unknown][] = isGrouped(headers)
    ? [
        ['/headers/set', headers['set']],
        ['/headers/add', headers['add']],
      ]
    : [['/headers', headers]]
  for (const [path, map] of groups) {
    for (const [name, value] of Object.entries(isMap(map) ? map : {})) {
      const isText = typeof value === 'string' || typeof value === 'number'
      if (!new RegExp(NAME).test(name))
        faults.push({ path: `${path}/${name}`, message: 'is not a header name' })
      else if (!isText)
        faults.push({ path: `${path}/${name}`, message: 'must be a text or a number' })
    }
  }
  return faults
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
