import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../resources/values.ts'
import type { Tell } from '../items.ts'

/** Variables the modelled gateway hashes by their name alone. */
const HASHED =
  /^(uri|server_name|server_addr|request_uri|remote_port|remote_addr|query_string|host|hostname|arg_[\w-]+)$/

/** An upstream as the modelled gateway takes it. */
export function toApisixUpstream(value: JsonObject, tell: Tell): JsonObject {
  const { checks, ...rest } = value
  if (rest['discovery_type'] === 'dns') {
    tell('discovery_type', 'needs discovery.dns.servers in config.yaml there')
  }
  return {
    ...rest,
    ...hashing(rest, tell),
    ...(isObject<Json>(checks) ? toChecks(checks, tell) : {}),
  }
}

function hashing({ type, hash_on: on = 'vars', key }: JsonObject, tell: Tell): JsonObject {
  if (type !== 'chash' || on !== 'vars' || typeof key !== 'string' || HASHED.test(key)) return {}
  if (key === 'args') return { key: 'query_string' }
  tell('key', 'is written as a combination of variables, since there only some are hashed by name')
  return { hash_on: 'vars_combinations', key: `$${key}` }
}

function toChecks(checks: JsonObject, tell: Tell): JsonObject {
  const { when_all_unhealthy: whenAll, active, ...rest } = checks
  if (whenAll === 'fail') {
    tell('checks.when_all_unhealthy', 'has no equal: with all nodes unhealthy all are used')
  }
  if (!isObject<Json>(active)) return {}
  return { checks: { ...rest, active: toActive(active, tell) } }
}

/** There an interval belongs to healthy or unhealthy, in whole seconds, and no count may be 0. */
function toActive({ interval, ...active }: JsonObject, tell: Tell): JsonObject {
  const sides = ['healthy', 'unhealthy'].map((side): [string, JsonObject] => {
    const given = active[side]
    const counts = isObject<Json>(given) ? given : {}
    const seconds = counts['interval'] ?? interval
    const members = Object.entries({
      ...counts,
      ...(seconds === undefined ? {} : { interval: seconds }),
    }).flatMap(([name, member]): [string, Json][] => {
      const path = `checks.active.${side}.${name}`
      if (name === 'interval') return [[name, toWhole(member, path, tell)]]
      if (member !== 0) return [[name, member]]
      tell(path, 'cannot be 0 there: the default counts again')
      return []
    })
    return [side, Object.fromEntries(members)]
  })
  const filled = sides.filter(([side, counts]) => side in active || Object.keys(counts).length > 0)
  return { ...active, ...Object.fromEntries(filled) }
}

/** Seconds that are whole, at least one. */
export function toWhole(seconds: Json, path: string, tell: Tell): Json {
  if (typeof seconds !== 'number' || Number.isInteger(seconds)) return seconds
  tell(path, `is ${seconds}; there are whole seconds only: ${Math.ceil(seconds)}`)
  return Math.ceil(seconds)
}
