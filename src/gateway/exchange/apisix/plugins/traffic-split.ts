import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { toApisixUpstream } from '../upstream.ts'

/** There no member but these is taken. */
export function toTrafficSplit({ _meta: meta, rules, ...rest }: JsonObject, tell: Tell) {
  for (const name of Object.keys(rest)) {
    const message =
      name === 'sticky' ? 'has no equal: every request is divided anew' : 'has no equal'
    tell(name, message)
  }
  return {
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(Array.isArray(rules)
      ? { rules: rules.map((rule) => (isObject<Json>(rule) ? toRule(rule, tell) : rule)) }
      : {}),
  }
}

function toRule({ match, weighted_upstreams: entries = [], ...rest }: JsonObject, tell: Tell) {
  for (const name of Object.keys(rest)) tell(`rules.${name}`, 'has no equal')
  return {
    ...toMatch(match, tell),
    weighted_upstreams: Array.isArray(entries) ? entries.map((entry) => toEntry(entry, tell)) : [],
  }
}

/** A condition without rules is always met, and there none can be stored. */
function toMatch(match: Json | undefined, tell: Tell): JsonObject {
  if (!Array.isArray(match)) return {}
  const isMet = match.some((one) => !isObject<Json>(one) || !Array.isArray(one['vars']))
  if (match.length > 0 && !isMet) return { match }
  tell('rules.match', 'is left out: it is always met')
  return {}
}

function toEntry(entry: Json, tell: Tell): Json {
  if (!isObject<Json>(entry)) return entry
  const { guard, upstream, ...rest } = entry
  if (guard !== undefined) tell('guard', 'has no equal: an entry that fails stays in use')
  return isObject<Json>(upstream) ? { ...rest, upstream: toApisixUpstream(upstream, tell) } : rest
}
