import Type, { type Static } from 'typebox'
import type { CachedAnswer } from '../plane/answer-cache.ts'
import type { AnswerTap, Context } from '../plane/context.ts'
import { namedByConnection } from '../plane/forwarded.ts'
import { removeAnswerHeader, setAnswerHeader, setForwardHeader } from '../plane/headers.ts'
import { kindOf, PASS } from '../plane/http1/header-kinds.ts'
import { hasBody } from '../plane/http1/parse-request.ts'
import { definePlugin, type PhaseResult, type PluginDeps } from '../plane/plugin.ts'
import { headerOf, headersOf } from '../plane/server/headers-of.ts'
import { compileTemplate, type Template, templateFault } from '../plane/template.ts'
import { lookUpForwarded } from '../plane/variables.ts'
import { parseDirectives, secondsOf } from './proxy-cache/directives.ts'
import { createFills } from './proxy-cache/fills.ts'
import { serve } from './proxy-cache/serving.ts'
import { findStorable, NOT_KEPT, type Storable } from './proxy-cache/storing.ts'

const TEMPLATES = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 32,
})

const SCHEMA = Type.Object({
  cache_strategy: Type.Optional(Type.Enum(['memory'], { expects: 'must be memory' })),
  cache_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  cache_key: Type.Optional(TEMPLATES),
  cache_bypass: Type.Optional(TEMPLATES),
  no_cache: Type.Optional(TEMPLATES),
  cache_method: Type.Optional(
    Type.Array(Type.Enum(['GET', 'HEAD'], { expects: 'must be GET or HEAD' }), {
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  cache_http_status: Type.Optional(
    Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), { minItems: 1, uniqueItems: true }),
  ),
  cache_ttl: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  cache_control: Type.Optional(Type.Boolean()),
  hide_cache_headers: Type.Optional(Type.Boolean()),
})

type Settings = Static<typeof SCHEMA>
type Status = 'MISS' | 'HIT' | 'EXPIRED' | 'BYPASS'

const DEFAULT_KEY = ['$host', '$request_uri']
const DEFAULT_STATUSES = [200, 301, 404]
const DEFAULT_TTL_SECONDS = 300
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
/** Whoever sends one of them says who asks, whether or not the gateway looks at it. */
const CREDENTIALS = ['authorization', 'x-api-key', 'apikey'] as const
const CONDITIONS = ['If-None-Match', 'If-Modified-Since', 'If-Range', 'Range'] as const

/** Keeps answers of the upstream in memory and gives them again while they are fresh. */
export default definePlugin({
  name: 'proxy-cache',
  priority: 1085,
  schema: SCHEMA,
  unsupported: new Map<string, unknown>([
    ['cache_set_cookie', false],
    ['consumer_isolation', true],
  ]),
  findFaults: (conf) => [
    ...(['cache_key', 'cache_bypass', 'no_cache'] as const).flatMap((member) =>
      (conf[member] ?? []).flatMap((text, at) => {
        const message = templateFault(text)
        return message === null ? [] : [{ path: `/${member}/${at}`, message }]
      }),
    ),
    ...(conf.cache_http_status ?? []).flatMap((status, at) => {
      // Parts and confirmations are no answers to anybody else.
      const isWhole = status !== 206 && status !== 304
      return isWhole ? [] : [{ path: `/cache_http_status/${at}`, message: 'cannot be kept' }]
    }),
  ],
  setup: (conf, deps) => createProxyCache(conf, deps),
})

function createProxyCache(conf: Settings, { cache, clock, owner, purge }: PluginDeps) {
  const keyParts = (conf.cache_key ?? DEFAULT_KEY).map(compileTemplate)
  const namesConsumer = conf.cache_key?.some((text) => /\$\{?consumer_name\b/.test(text)) ?? false
  const namesCookie = conf.cache_key?.some((text) => /\$\{?(cookie_|http_cookie\b)/.test(text))
  const bypasses = (conf.cache_bypass ?? []).map(compileTemplate)
  const refusals = (conf.no_cache ?? []).map(compileTemplate)
  const methods = new Set<string>(conf.cache_method ?? ['GET', 'HEAD'])
  const terms = {
    statuses: new Set(conf.cache_http_status ?? DEFAULT_STATUSES),
    ttlSeconds: conf.cache_ttl ?? DEFAULT_TTL_SECONDS,
    largestBody: cache.largestBody,
  }
  const fills = createFills(clock.now)
  const statuses = new WeakMap<Context, Status>()
  // An edit of the settings must not meet what was kept by the old ones.
  const edition = `${conf.cache_zone ?? ''}\n${owner}\n${JSON.stringify(conf)}`
  /** After the access phase: an answer that is kept counts against limits as any other. */
  return { beforeProxy: look, headerFilter }

  function look(ctx: Context): PhaseResult {
    if (!methods.has(ctx.method) || ctx.wantsSwitch) return pass(ctx)
    // The key says nothing of a body, by which an upstream may well decide.
    if (hasBody(ctx.request) || ctx.newBody !== null) return pass(ctx)
    if (withholdsHeaders(ctx)) return pass(ctx)
    if (isPrivate(ctx) || bypasses.some((text) => isSet(text, ctx))) return pass(ctx)
    return find(ctx, keyOf(ctx))
  }

  function pass(ctx: Context): undefined {
    statuses.set(ctx, 'BYPASS')
  }

  /** Contract: answers to somebody are nobody else's, unless the key tells them apart. */
  function isPrivate(ctx: Context): boolean {
    const headers = headersOf(ctx.request)
    const isKnown = ctx.chain.authenticates || ctx.globalChain.authenticates
    const saysWho = CREDENTIALS.some((name) => headers[name] !== undefined)
    if (isKnown || ctx.consumer || saysWho) {
      return !namesConsumer || !ctx.consumer
    }
    return headers['cookie'] !== undefined && !namesCookie
  }

  function find(ctx: Context, key: string): PhaseResult {
    const variant = variantOf(ctx, key)
    const kept = cache.find(variant)
    const asked = parseDirectives(conf.cache_control ? requestHeader(ctx) : undefined)
    const nowMs = clock.now()
    if (kept && isFresh(kept, nowMs) && suits(kept, asked, nowMs)) {
      statuses.set(ctx, 'HIT')
      return serve(kept, headersOf(ctx.request), nowMs)
    }
    if (asked.has('only-if-cached')) {
      statuses.set(ctx, 'MISS')
      return { status: 504, body: { message: 'the answer is not kept here' } }
    }
    statuses.set(ctx, kept && !isFresh(kept, nowMs) ? 'EXPIRED' : 'MISS')
    // Whoever wants a new answer does not wait for an older one.
    const waits = !asked.has('no-cache') && !asked.has('no-store')
    const filled = waits ? fills.join(variant) : undefined
    if (filled) {
      return filled.then((isShared) => (isShared && !ctx.isOver ? find(ctx, key) : undefined))
    }
    if (ctx.method === 'GET' && !asked.has('no-store') && fills.begin(variant)) {
      fill(ctx, key, variant)
    }
    return undefined
  }

  /** RFC 9111 §5.2.1: how much of the answer's freshness the client wants. */
  function suits(kept: CachedAnswer, asked: ReadonlyMap<string, string>, nowMs: number): boolean {
    if (asked.has('no-cache') || asked.has('no-store')) return false
    const ageMs = ageOf(kept, nowMs)
    const maxAge = secondsOf(asked, 'max-age')
    if (maxAge !== undefined && ageMs > maxAge * 1000) return false
    return kept.freshMs - ageMs >= (secondsOf(asked, 'min-fresh') ?? 0) * 1000
  }

  /** The upstream is asked for the whole answer, whatever part of it this client wants. */
  function fill(ctx: Context, key: string, variant: string): void {
    for (const name of CONDITIONS) {
      if (headersOf(ctx.request)[name.toLowerCase()] !== undefined) {
        setForwardHeader(ctx, name, null)
      }
    }
    ctx.tap = createTap(ctx, key, variant)
  }

  function createTap(ctx: Context, key: string, variant: string): AnswerTap {
    const watch = cache.watch(resourceOf(ctx))
    const askedAtMs = clock.now()
    const chunks: Buffer[] = []
    let bytes = 0
    let status = 0
    let headers: string[] = []
    let storable: Storable | null = null
    return { head, data, end }

    function head(answer: Parameters<AnswerTap['head']>[0]): boolean {
      const isRefused = refusals.some((text) => isSet(text, ctx))
      storable = isRefused ? null : findStorable(answer, terms, { askedAtMs, nowMs: clock.now() })
      if (!storable) return giveUp()
      ;({ status } = answer)
      headers = answer.headers.filter((_, at) => {
        return !NOT_KEPT.has(answer.headers[at - (at % 2)]?.toLowerCase() ?? '')
      })
      return true
    }

    function data(chunk: Buffer): boolean {
      bytes += chunk.length
      if (bytes > terms.largestBody) return giveUp()
      chunks.push(Buffer.from(chunk))
      return true
    }

    function giveUp(): false {
      watch.end()
      fills.end(variant, 'private')
      return false
    }

    function end(isWhole: boolean): void {
      watch.end()
      const isKept = isWhole && !watch.isSpoiled && storable !== null
      if (storable !== null && isKept) keep(storable)
      fills.end(variant, isKept ? 'kept' : 'broken')
    }

    function keep({ varies, freshMs, ageMs, tags }: Storable) {
      cache.setVariesBy(key, varies)
      const about = { status, headers, body: Buffer.concat(chunks), freshMs, ageMs, tags }
      const [resource, owner] = [resourceOf(ctx), ctx.resolved?.route.id ?? '']
      // RFC 9111 §4.2.3: an answer is as old as the request for it, which may have taken long.
      cache.keep(variantOf(ctx, key), { ...about, resource, owner, storedAtMs: askedAtMs })
    }
  }

  /** With everything that plugins have changed of the request since it came. */
  function keyOf(ctx: Context): string {
    const { resolved, upstream, method, forwardMethod, forwardHost } = ctx
    // Values hold whatever clients send: no character could keep them apart.
    return JSON.stringify([
      edition,
      resolved?.route.id ?? '',
      resolved?.route.createdIndex ?? '',
      upstream?.key ?? resolved?.upstream?.key ?? '',
      ...keyParts.map((part) => part.render(ctx)),
      method === forwardMethod ? '' : forwardMethod,
      ctx.path === ctx.forwardPath ? '' : ctx.forwardPath,
      ctx.query === ctx.forwardQuery ? '' : ctx.forwardQuery,
      forwardHost ?? '',
    ])
  }

  function variantOf(ctx: Context, key: string): string {
    const names = cache.variesBy(key)
    if (!names) return key
    const values = names.map((name) => lookUpForwarded(ctx, `http_${name}`) ?? '')
    return `${key}\n\n${JSON.stringify([names, values])}`
  }

  function headerFilter(ctx: Context): void {
    const status = statuses.get(ctx)
    if (status !== undefined) setAnswerHeader(ctx, 'X-Cache-Status', status)
    if (conf.hide_cache_headers) {
      removeAnswerHeader(ctx, 'cache-control')
      removeAnswerHeader(ctx, 'expires')
    }
    // RFC 9111 §4.4: what a request has changed is not what was kept.
    if (!SAFE.has(ctx.method) && ctx.upstreamStatus >= 200 && ctx.upstreamStatus < 400) {
      purge({ by: 'resource', text: resourceOf(ctx) })
    }
  }
}

/**
 * `Connection: Accept-Language` keeps that header from the upstream, while the key still has its value:
 * the answer would be kept, and given to others, as what it is not.
 */
function withholdsHeaders({ request }: Context): boolean {
  const named = namedByConnection(request) ?? []
  return named.some((name) => kindOf(name) === PASS && headerOf(request, name) !== undefined)
}

function resourceOf({ host, path }: Context): string {
  return `${host}${path}`
}

function requestHeader(ctx: Context): string | undefined {
  const { 'cache-control': given, pragma } = headersOf(ctx.request)
  return given ?? (pragma === 'no-cache' ? pragma : undefined)
}

function ageOf({ ageMs, storedAtMs }: CachedAnswer, nowMs: number): number {
  return ageMs + nowMs - storedAtMs
}

function isFresh(kept: CachedAnswer, nowMs: number): boolean {
  return ageOf(kept, nowMs) < kept.freshMs
}

/** A text that came out neither empty nor as 0. */
function isSet(text: Template, ctx: Context): boolean {
  const value = text.render(ctx)
  return value !== '' && value !== '0'
}
