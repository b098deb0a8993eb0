import Type, { type Static } from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import type { Context } from '../plane/context.ts'
import { addAnswerHeader, findAnswerHeader, removeAnswerHeader } from '../plane/headers.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { firstHeader } from '../plane/server/headers-of.ts'

const LIST = Type.Optional(Type.String({ minLength: 1, maxLength: 8192 }))
const PATTERNS = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
  }),
)

const SCHEMA = Type.Object({
  allow_origins: LIST,
  allow_origins_by_regex: PATTERNS,
  allow_methods: LIST,
  allow_headers: LIST,
  expose_headers: LIST,
  max_age: Type.Optional(Type.Integer({ minimum: -1, maximum: 31_536_000 })),
  allow_credential: Type.Optional(Type.Boolean()),
  timing_allow_origins: LIST,
  timing_allow_origins_by_regex: PATTERNS,
})

type Settings = Static<typeof SCHEMA>

/** Allows anybody, but no credentials. */
const ANY = '*'
/** Allows whatever is asked for. */
const REFLECT = '**'
const ORIGIN = /^(null|[a-z][a-z0-9+.-]*:\/\/[^\s,/]+)$/i
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TOKENS = /^[!#$%&'*+.^_`|~0-9A-Za-z,-]+$/
const CORS_HEADER =
  /^access-control-(allow-(origin|credentials|methods|headers)|expose-headers|max-age)$/i
const SHORTEST = 'access-control-max-age'.length
const ASKED_METHOD = 'access-control-request-method'
const PREFLIGHT: PluginAnswer = { status: 200 }

/** Tells browsers which sites may use the route, and answers their preflights before anybody is asked who they are. */
export default definePlugin({
  name: 'cors',
  priority: 4000,
  schema: SCHEMA,
  unsupported: new Map([['allow_origins_by_metadata', undefined]]),
  findFaults: (conf) => [
    ...originFaults('allow_origins', conf.allow_origins),
    ...originFaults('timing_allow_origins', conf.timing_allow_origins),
    ...patternFaults('allow_origins_by_regex', conf.allow_origins_by_regex),
    ...patternFaults('timing_allow_origins_by_regex', conf.timing_allow_origins_by_regex),
    ...tokenFaults('allow_methods', conf.allow_methods),
    ...tokenFaults('allow_headers', conf.allow_headers),
    ...tokenFaults('expose_headers', conf.expose_headers),
    ...credentialFaults(conf),
  ],
  setup(conf) {
    const { allow_origins: listed = ANY, allow_origins_by_regex: patterns } = conf
    const { allow_methods: methods = ANY, allow_headers: headers = ANY, max_age: maxAge = 5 } = conf
    const allowed = compileOrigins(listed, patterns)
    const { timing_allow_origins: timed, timing_allow_origins_by_regex: timedPatterns } = conf
    const isTimed = timed !== undefined || timedPatterns !== undefined
    const timing = isTimed ? compileOrigins(timed ?? ANY, timedPatterns) : null
    const varies = !allowed.isAny || (timing !== null && !timing.isAny)
    const shown = tidy(methods)
    const accepted = tidy(headers)
    const exposed = conf.expose_headers === undefined ? null : tidy(conf.expose_headers)
    /** The same for every request; names and values were looked at when they were stored. */
    const constant = [
      ...['Access-Control-Max-Age', String(maxAge)],
      ...(shown === REFLECT ? [] : ['Access-Control-Allow-Methods', shown]),
      ...(accepted === REFLECT ? [] : ['Access-Control-Allow-Headers', accepted]),
      ...(exposed === null || exposed === REFLECT
        ? []
        : ['Access-Control-Expose-Headers', exposed]),
      ...(conf.allow_credential ? ['Access-Control-Allow-Credentials', 'true'] : []),
    ]
    return {
      rewrite: (ctx) => (isPreflight(ctx) ? PREFLIGHT : undefined),
      headerFilter(ctx) {
        const { request } = ctx
        const origin = firstHeader(request, 'origin')
        removeOthers(ctx)
        if (varies) addVary(ctx, 'Origin')
        if (timing) {
          const value = timing.answer(origin)
          removeAnswerHeader(ctx, 'Timing-Allow-Origin')
          if (value !== null) addAnswerHeader(ctx, 'Timing-Allow-Origin', value)
        }
        const value = allowed.answer(origin)
        if (value === null) return
        addAnswerHeader(ctx, 'Access-Control-Allow-Origin', value)
        for (const each of constant) ctx.headers.push(each)
        if (shown === REFLECT) {
          const wanted = firstHeader(request, ASKED_METHOD) ?? ctx.method
          if (TOKEN.test(wanted)) ctx.headers.push('Access-Control-Allow-Methods', wanted)
        }
        if (accepted === REFLECT) {
          const wanted = tidy(firstHeader(request, 'access-control-request-headers') ?? '')
          if (TOKENS.test(wanted)) ctx.headers.push('Access-Control-Allow-Headers', wanted)
          addVary(ctx, 'Access-Control-Request-Headers')
        }
        if (exposed === REFLECT) {
          ctx.headers.push('Access-Control-Expose-Headers', namesIn(ctx))
        }
      },
    }
  },
})

/** Any other OPTIONS is a request like all others (contract §7.5). */
function isPreflight(ctx: Context): boolean {
  if (ctx.method !== 'OPTIONS') return false
  const { request } = ctx
  const asked = firstHeader(request, ASKED_METHOD)
  return asked !== undefined && firstHeader(request, 'origin') !== undefined
}

interface Origins {
  /** The answer is the same for everybody. */
  readonly isAny: boolean
  /** What an origin is told; null when it is not allowed. */
  answer(origin: string | undefined): string | null
}

/** Where there are patterns, they alone decide, as existing configurations expect. */
function compileOrigins(listed: string, sources: readonly string[] | undefined): Origins {
  if (sources) {
    const patterns = sources.map((source) => createPattern(source))
    return allowing((origin) => patterns.some((pattern) => pattern.test(origin)))
  }
  const list = tidy(listed)
  if (list === ANY) return { isAny: true, answer: () => ANY }
  if (list === REFLECT) return allowing(() => true)
  const origins = new Set(list.toLowerCase().split(','))
  return allowing((origin) => origins.has(origin.toLowerCase()))
}

function allowing(isAllowed: (origin: string) => boolean): Origins {
  return {
    isAny: false,
    answer: (origin) => (origin !== undefined && isAllowed(origin) ? origin : null),
  }
}

function tidy(list: string): string {
  return itemsOf(list).join(',')
}

function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Those of the upstream. */
function removeOthers({ headers }: Context): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    // By length first: this is done for every answer, and hardly one has any.
    const name = headers[at] ?? ''
    if (name.length >= SHORTEST && CORS_HEADER.test(name)) headers.splice(at, 2)
  }
}

function addVary(ctx: Context, name: string): void {
  const given = findAnswerHeader(ctx, 'vary')
  if (given === undefined) return void ctx.headers.push('Vary', name)
  const names = itemsOf(given.toLowerCase())
  if (names.includes(name.toLowerCase()) || names.includes('*')) return
  ctx.headers.push('Vary', name)
}

/** The headers of the answer, by their names. */
function namesIn({ headers }: Context): string {
  return [...new Set(headers.filter((_, at) => at % 2 === 0))].join(',')
}

function originFaults(member: string, list: string | undefined) {
  if (list === undefined || tidy(list) === ANY || tidy(list) === REFLECT) return []
  const items = itemsOf(list)
  if (items.length > 0 && items.every((item) => ORIGIN.test(item))) return []
  return [{ path: `/${member}`, message: 'must be *, ** or origins such as https://a.org:8443' }]
}

function patternFaults(member: string, sources: readonly string[] = []) {
  return sources.flatMap((source, at) => {
    const message = patternFault(source)
    return message === null ? [] : [{ path: `/${member}/${at}`, message }]
  })
}

function tokenFaults(member: string, list: string | undefined) {
  if (list === undefined) return []
  const items = itemsOf(list)
  if (items.length > 0 && items.every((item) => TOKEN.test(item))) return []
  return [{ path: `/${member}`, message: 'must be *, ** or names with commas between them' }]
}

/** Browsers take * for a name like others once credentials are allowed. */
function credentialFaults(conf: Settings) {
  if (!conf.allow_credential) return []
  const { allow_origins: origins = ANY, allow_methods: methods = ANY } = conf
  const { allow_headers: headers = ANY, expose_headers: exposed = '' } = conf
  const hasPatterns = conf.allow_origins_by_regex !== undefined
  const members = Object.entries({
    allow_origins: hasPatterns ? '' : origins,
    allow_methods: methods,
    allow_headers: headers,
    expose_headers: exposed,
  })
  return members
    .filter(([, list]) => itemsOf(list).includes(ANY))
    .map(([member]) => ({
      path: `/${member}`,
      message: 'must not be * with allow_credential: name what is allowed, or write **',
    }))
}
