import Type, { type Static } from 'typebox'
import { CALENDAR_UNITS, createCalendar, timeZoneFault } from '../limits/calendar.ts'
import { compileKey, isOpenKey, type KeyOf, keyFault, keyFaults } from '../limits/key.ts'
import {
  REJECTED_MEMBERS,
  rejection,
  STORE_MEMBERS,
  STORE_UNSUPPORTED,
  settingsHash,
  storeFaults,
  withoutStore,
} from '../limits/store.ts'
import {
  type Ask,
  boundedKeys,
  calendarWindows,
  type Decide,
  fixedWindows,
  redisSlidingWindows,
  slidingWindows,
  spareOf,
  type Verdict,
} from '../limits/windows.ts'
import type { Context } from '../plane/context.ts'
import { removeAnswerHeader } from '../plane/headers.ts'
import { definePlugin, type PluginAnswer, type PluginDeps } from '../plane/plugin.ts'

const COUNT = Type.Integer({ minimum: 1 })
const SECONDS = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })

const SCHEMA = Type.Object({
  count: Type.Optional(COUNT),
  time_window: Type.Optional(SECONDS),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  key_type: Type.Optional(Type.Enum(['var', 'var_combination', 'constant'])),
  window_type: Type.Optional(Type.Enum(['fixed', 'sliding', 'calendar'])),
  calendar: Type.Optional(Type.Boolean()),
  calendar_unit: Type.Optional(Type.Enum([...CALENDAR_UNITS])),
  timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  rules: Type.Optional(
    Type.Array(
      Type.Object({
        count: COUNT,
        time_window: SECONDS,
        key: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
        header_prefix: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9-]{1,64}$',
            expects: 'must be part of a header name',
          }),
        ),
      }),
      { minItems: 1, maxItems: 16 },
    ),
  ),
  group: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  show_limit_quota_header: Type.Optional(Type.Boolean()),
  ...REJECTED_MEMBERS,
  ...STORE_MEMBERS,
})

type Settings = Static<typeof SCHEMA>

/** Lets a number of requests through in a window of time, counted by address, consumer or any variable. */
export default definePlugin({
  name: 'rate-limiting',
  priority: 1002,
  secrets: ['redis_password'],
  schema: SCHEMA,
  unsupported: STORE_UNSUPPORTED,
  findFaults: (conf) => [
    ...ruleFaults(conf),
    ...calendarFaults(conf),
    ...keyFaults(conf),
    ...storeFaults(conf),
  ],
  setup(conf, deps) {
    const { rejected_code: status = 429, show_limit_quota_header: isShown = true } = conf
    const refusal = rejection(status, conf.rejected_msg)
    const rules = compileRules(conf)
    const decide = compileWindows(conf, deps)
    const base = `${conf.group === undefined ? deps.owner : `group/${conf.group}`}/${settingsHash(conf)}`
    return {
      access(ctx) {
        const asks = rules.map((rule, at) => toAsk(ctx, rule, `${base}/${at}`))
        try {
          const verdict = decide(asks)
          if (!(verdict instanceof Promise)) return settle(ctx, verdict)
          return verdict.then(
            (decided) => settle(ctx, decided),
            () => withoutStore(conf),
          )
        } catch {
          return withoutStore(conf)
        }
      },
      headerFilter(ctx) {
        const verdict = ctx.verdicts?.get(conf)
        if (verdict) show(ctx, verdict)
      },
    }

    function settle(ctx: Context, verdict: Verdict): PluginAnswer | undefined {
      // The answer tells of it, and the upstream's head comes later.
      ctx.verdicts ??= new Map()
      ctx.verdicts.set(conf, verdict)
      return verdict.allowed ? undefined : refusal
    }

    function show(ctx: Context, { allowed, standings }: Verdict): void {
      // Contract §9.3: what a plan says of its limits is the only word on limits.
      const isSold = ctx.sale !== null && Object.keys(ctx.sale.headers).length > 0
      if (isShown && !isSold) {
        for (const [at, { remaining, leftMs }] of standings.entries()) {
          const rule = rules[at]
          if (!rule) break
          replace(ctx, rule.headers.limit, rule.limit)
          replace(ctx, rule.headers.remaining, String(remaining))
          replace(ctx, rule.headers.reset, secondsOf(leftMs))
        }
      }
      const last = standings.at(-1)
      if (!allowed && last) replace(ctx, 'Retry-After', secondsOf(last.leftMs))
    }
  },
})

function toAsk(ctx: Context, { count, ms, keyOf, isOpen }: Rule, base: string): Ask {
  const ask = { name: `${base}/${keyOf(ctx)}`, count, ms }
  return isOpen ? { ...ask, spare: spareOf(base, ctx.remoteAddr) } : ask
}

/** Names and values are ours and need no look. */
function replace(ctx: Context, name: string, value: string): void {
  removeAnswerHeader(ctx, name)
  ctx.headers.push(name, value)
}

function secondsOf(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)))
}

interface Rule {
  readonly count: number
  readonly ms: number
  readonly keyOf: KeyOf
  readonly isOpen: boolean
  readonly limit: string
  readonly headers: { readonly limit: string; readonly remaining: string; readonly reset: string }
}

function headersOf(prefix: string): Rule['headers'] {
  return { limit: `${prefix}Limit`, remaining: `${prefix}Remaining`, reset: `${prefix}Reset` }
}

function compileRules({ rules, count = 1, time_window: seconds = 1, ...rest }: Settings): Rule[] {
  if (!rules) {
    const keyOf = compileKey(rest.key, rest.key_type)
    const headers = headersOf('X-RateLimit-')
    const isOpen = isOpenKey(rest.key, rest.key_type)
    return [{ count, limit: String(count), ms: toMs(seconds), keyOf, isOpen, headers }]
  }
  return rules.map((rule, at) => ({
    count: rule.count,
    ms: toMs(rule.time_window),
    keyOf: compileKey(rule.key, keyTypeOf(rule.key)),
    isOpen: isOpenKey(rule.key, keyTypeOf(rule.key)),
    limit: String(rule.count),
    headers: headersOf(`X-${rule.header_prefix ?? at + 1}-RateLimit-`),
  }))
}

/** In a rule variables are written with their dollar signs; a name alone is understood as well. */
function keyTypeOf(key = '') {
  return key.includes('$') ? 'var_combination' : 'var'
}

function toMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000))
}

function compileWindows(conf: Settings, deps: PluginDeps): Decide {
  const store = conf.policy === 'redis' ? deps.redis.store(conf) : null
  if (conf.window_type === 'sliding') {
    return store ? redisSlidingWindows(store) : slidingWindows(deps)
  }
  const { counters } = deps
  const decide = store ? fixedWindows(store.add) : boundedKeys(counters, fixedWindows(counters.add))
  if (!isCalendar(conf)) return decide
  const calendar = createCalendar(conf.calendar_unit ?? 'minute', conf.timezone ?? 'UTC')
  return calendarWindows(calendar, deps.clock.now, decide)
}

function isCalendar({ window_type: type, calendar }: Settings): boolean {
  return type === 'calendar' || calendar === true
}

function ruleFaults(conf: Settings) {
  const { rules, count, time_window: seconds } = conf
  const faults: { path: string; message: string }[] = []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if (!rules) {
    if (count === undefined) fault('/count', 'is required unless there are rules')
    if (isCalendar(conf) && seconds !== undefined) {
      fault('/time_window', 'must not stand beside a calendar, which has its calendar_unit')
    }
    if (!isCalendar(conf) && seconds === undefined) {
      fault('/time_window', 'is required unless there are rules or a calendar')
    }
    return faults
  }
  const { key = 'remote_addr', key_type: keyType = 'var' } = conf
  const beside = 'must not stand beside rules'
  if (count !== undefined) fault('/count', beside)
  if (seconds !== undefined) fault('/time_window', beside)
  // Other gateways write their defaults into what they store.
  if (key !== 'remote_addr') fault('/key', beside)
  if (keyType !== 'var') fault('/key_type', beside)
  if (isCalendar(conf)) fault('/rules', 'must not stand beside a calendar')
  for (const [at, { key, header_prefix: prefix }] of rules.entries()) {
    const message = keyFault(key, keyTypeOf(key))
    if (message) fault(`/rules/${at}/key`, message)
    const isTaken = rules.slice(0, at).some(({ header_prefix: other }) => other === prefix)
    if (prefix !== undefined && isTaken) fault(`/rules/${at}/header_prefix`, 'is used twice')
  }
  return faults
}

function calendarFaults(conf: Settings) {
  const faults: { path: string; message: string }[] = []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  const { window_type: type, calendar, calendar_unit: unit, timezone: zone } = conf
  if (calendar === true && type !== undefined && type !== 'calendar') {
    fault('/window_type', 'must be calendar, or left out, beside calendar')
  }
  if (isCalendar(conf)) {
    if (unit === undefined) fault('/calendar_unit', 'is required with a calendar')
    const message = zone === undefined ? null : timeZoneFault(zone)
    if (message) fault('/timezone', message)
    return faults
  }
  const needless = 'is of use with window_type calendar only'
  if (unit !== undefined) fault('/calendar_unit', needless)
  if (zone !== undefined) fault('/timezone', needless)
  return faults
}
