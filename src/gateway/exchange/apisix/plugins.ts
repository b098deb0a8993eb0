import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../resources/values.ts'
import type { Tell } from '../items.ts'
import { toApisixUpstream, toWhole } from './upstream.ts'

/** Undefined: there is no equal, and whoever has the plugin must not go on as if it were not there. */
type Translate = (conf: JsonObject, tell: Tell) => JsonObject | undefined

const REPLACE_PLAN_ACCESS = `has no equal: plans, keys, counters and usage stay here. Where the route leads to Entrepot's own API, that asks for
the key and counts by itself, so the route may go without. Elsewhere take key-auth on the route, a consumer with a credential
for each key, and limit-count with the limits of the plan on a consumer group`

const SCRIPT =
  'has no equal: scripts there are Lua. Write the function anew, or put the work into a service'

const WINDOWS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  month: 2_592_000,
}

const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['plan-access', (_conf, tell) => lose(tell, REPLACE_PLAN_ACCESS.replaceAll('\n', ' '))],
  ['serverless-pre-function', (_conf, tell) => lose(tell, SCRIPT)],
  ['serverless-post-function', (_conf, tell) => lose(tell, SCRIPT)],
  ['rate-limiting', (conf, tell) => toLimitCount({ rejected_code: 429, ...conf }, tell)],
  ['limit-count', toLimitCount],
  ['limit-conn', (conf) => ({ key: 'remote_addr', ...conf })],
  ['jwt-auth', toJwtAuth],
  ['traffic-split', toTrafficSplit],
  ['proxy-cache', (conf) => ({ cache_strategy: 'memory', cache_zone: 'memory_cache', ...conf })],
  ['file-logger', onFileLogger],
  ['openid-connect', onOpenid],
])

/** Names by which the modelled gateway knows a plugin of ours. */
const NAMES: ReadonlyMap<string, string> = new Map([['rate-limiting', 'limit-count']])

export function apisixName(plugin: string): string {
  return NAMES.get(plugin) ?? plugin
}

/** Whether settings of the plugin mean anything there. */
export function hasEqual(plugin: string): boolean {
  return plugin !== 'plan-access' && !plugin.startsWith('serverless-')
}

/** The plugins that have an equal, and the names of those that have none. */
export function toApisixPlugins(plugins: JsonObject, tell: Tell) {
  const lost: string[] = []
  const entries = Object.entries(plugins).flatMap(([name, conf]): [string, Json][] => {
    const translate = TRANSLATIONS.get(name)
    if (!translate || !isObject<Json>(conf)) return [[name, conf]]
    const path = `plugins.${name}`
    const done = translate(conf, (member, message) =>
      tell(member === '' ? path : `${path}.${member}`, message),
    )
    if (done) return [[apisixName(name), done]]
    lost.push(name)
    return []
  })
  return { plugins: Object.fromEntries(entries), lost }
}

function lose(tell: Tell, message: string): undefined {
  tell('', message)
  return undefined
}

function toLimitCount(given: JsonObject, tell: Tell): JsonObject | undefined {
  const {
    window_type: type,
    calendar,
    calendar_unit: unit = 'minute',
    timezone: _,
    ...some
  } = given
  const { rules, ...conf } = some
  if (Array.isArray(rules)) return withRules(conf, rules, tell)
  if (calendar === true || type === 'calendar') {
    tell(
      'calendar',
      `has no equal: windows of the length of a ${unit} begin with the first request`,
    )
    return { ...conf, time_window: WINDOWS[String(unit)] ?? 60 }
  }
  const sliding = type === 'sliding' ? { window_type: type } : {}
  if (type === 'sliding')
    tell('window_type', 'is known to late versions only; others have fixed windows')
  const { time_window: seconds = 1 } = conf
  return { ...conf, ...sliding, time_window: toWhole(seconds, 'time_window', tell) }
}

/** There every rule names its key, no two the same, with the dollar signs of its variables. */
function withRules(conf: JsonObject, rules: readonly Json[], tell: Tell): JsonObject | undefined {
  const { time_window: _window, count: _count, ...rest } = conf
  const all = rules
    .filter((rule) => isObject<Json>(rule))
    .map((rule) => {
      const { key = 'remote_addr', time_window: seconds = 1 } = rule
      const named = String(key).includes('$') ? key : `$${key}`
      return { ...rule, key: named, time_window: toWhole(seconds, 'rules.time_window', tell) }
    })
  if (new Set(all.map(({ key }) => key)).size < all.length) {
    return lose(tell, 'has no equal: there no two rules may have the same key')
  }
  if (rest['group'] !== undefined) return lose(tell, 'has no equal: there rules have no group')
  tell('rules', 'are known to late versions only')
  return { ...rest, rules: all }
}

/** Upstreams trust what the gateway has put in; without the plugin, clients could send such headers themselves. */
function toJwtAuth({ claims_to_headers: claims, ...conf }: JsonObject, tell: Tell) {
  if (claims === undefined) return conf
  return lose(
    tell,
    'claims_to_headers has no equal, and clients could send those headers themselves',
  )
}

function toTrafficSplit({ sticky, ...conf }: JsonObject, tell: Tell): JsonObject {
  if (sticky !== undefined) tell('sticky', 'has no equal: every request is divided anew')
  const { rules } = conf
  if (!Array.isArray(rules)) return conf
  return { ...conf, rules: rules.map((rule) => (isObject<Json>(rule) ? toRule(rule, tell) : rule)) }
}

function toRule(rule: JsonObject, tell: Tell): JsonObject {
  const { weighted_upstreams: entries } = rule
  if (!Array.isArray(entries)) return rule
  const weighted = entries.map((entry: Json) => {
    if (!isObject<Json>(entry)) return entry
    const { guard, upstream, ...rest } = entry
    if (guard !== undefined) tell('guard', 'has no equal: an entry that fails stays in use')
    return isObject<Json>(upstream) ? { ...rest, upstream: toApisixUpstream(upstream, tell) } : rest
  })
  return { ...rule, weighted_upstreams: weighted }
}

function onFileLogger(conf: JsonObject, tell: Tell): JsonObject {
  tell('path', 'is below the directory of the other gateway there, not below data_dir')
  return conf
}

function onOpenid(conf: JsonObject, tell: Tell): JsonObject {
  if (conf['bearer_only'] !== true && conf['session'] === undefined) {
    tell('session.secret', 'is made by us when it is missing; set one there, the same on all nodes')
  }
  return conf
}
