import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { LATE, lose } from '../translation.ts'
import { toWhole } from '../upstream.ts'

const WINDOWS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  month: 2_592_000,
}

export function toLimitCount(given: JsonObject, tell: Tell): JsonObject | undefined {
  if (!hasStore(given)) return loseStore(tell)
  const { calendar, window_type: type } = given
  if (calendar === true || type === 'calendar') return withCalendar(given, tell)
  if (type === 'sliding') tell('window_type', `${LATE}; others have fixed windows`)
  const { rules, time_window: seconds = 1 } = given
  if (Array.isArray(rules)) return withRules(given, rules, tell)
  return { ...given, time_window: toWhole(seconds, 'time_window', tell) }
}

function withCalendar(given: JsonObject, tell: Tell): JsonObject {
  const {
    calendar: _calendar,
    window_type: _type,
    calendar_unit: unit = 'minute',
    timezone: _timezone,
    ...conf
  } = given
  tell('calendar', `has no equal: windows of the length of a ${unit} begin with the first request`)
  return { ...conf, time_window: WINDOWS[String(unit)] ?? 60 }
}

/** There every rule names its key, no two the same, with the dollar signs of its variables. */
function withRules(conf: JsonObject, rules: readonly Json[], tell: Tell): JsonObject | undefined {
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
  if (conf['group'] !== undefined) return lose(tell, 'has no equal: there rules have no group')
  tell('rules', 'are known to late versions only')
  return { ...conf, rules: all }
}

export function toLimitConn(conf: JsonObject, tell: Tell): JsonObject | undefined {
  return toLimitReq({ key: 'remote_addr', ...conf }, tell)
}

export function toLimitReq(conf: JsonObject, tell: Tell): JsonObject | undefined {
  if (!hasStore(conf)) return loseStore(tell)
  if (conf['policy'] === 'redis') tell('policy', `${LATE}; with others every node counts by itself`)
  return conf
}

function hasStore({ policy, redis_host: host }: JsonObject): boolean {
  return policy !== 'redis' || (typeof host === 'string' && host.length > 1)
}

function loseStore(tell: Tell): undefined {
  return lose(tell, 'has no equal: there redis_host has at least two characters')
}
