import { parseTemplate } from '../../../plane/template.ts'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose } from '../translation.ts'

/** An item of a list there: a variable alone, or a text without any. */
const ITEM = /^([^$].+|\$\w+)$/
const ZONE = 'memory_cache'
const ALWAYS = 'always'
/** By which a request is somebody's. */
const WHOSE = ['$consumer_name', '$http_authorization', '$http_x_access_token']

export function toProxyCache(given: JsonObject, tell: Tell): JsonObject | undefined {
  const { cache_key: key = ['$host', '$request_uri'], cache_zone: zone = ZONE, ...some } = given
  const { cache_bypass: _bypass, no_cache: _refusal, ...conf } = some
  const parts = textsOf(key).flatMap(toKeyParts)
  if (parts.includes('$request_method')) {
    return lose(tell, 'has no equal: there the method cannot be part of cache_key')
  }
  if (parts.join('\n') !== textsOf(key).join('\n')) {
    tell('cache_key', 'is written in parts, since there a part is one variable or none')
  }
  return {
    ...{ cache_strategy: 'memory', ...conf, cache_zone: toZone(String(zone), tell) },
    ...(given['cache_key'] === undefined ? {} : { cache_key: parts }),
    ...toConditions(given, parts, tell),
  }
}

function toZone(zone: string, tell: Tell): string {
  if (zone === ZONE) return zone
  // That of the disk, which is there from the beginning.
  const isOnDisk = zone === 'disk_cache_one'
  if (isOnDisk) tell('cache_zone', `is ${ZONE}: there the zone ${zone} is on disk`)
  else tell('cache_zone', 'must be named there too: apisix.proxy_cache.zones in config.yaml')
  return isOnDisk ? ZONE : zone
}

/** Texts only keep what stands beside them apart, so any other does as well. */
function toKeyParts(template: string): string[] {
  return parseTemplate(template).map((part) => {
    if (typeof part === 'object') return 'variable' in part ? `$${part.variable}` : ALWAYS
    return ITEM.test(part) ? part : `x${part.replace(/[^\w-]/g, '_')}`
  })
}

/** Answers to somebody are nobody else's here, unless the key tells them apart. */
function toConditions(given: JsonObject, key: readonly string[], tell: Tell): JsonObject {
  const whose = [
    ...(key.includes('$consumer_name') ? [] : WHOSE),
    ...(key.some((part) => /^\$(cookie_|http_cookie$)/.test(part)) ? [] : ['$http_cookie']),
  ]
  const lists = ['cache_bypass', 'no_cache'].map((member): [string, string[]] => {
    const texts = textsOf(given[member])
    const items = [...new Set([...texts.flatMap(toConditionParts), ...whose])]
    if (items.join('\n') !== texts.join('\n')) {
      tell(member, `is [${items.join(', ')}]: here answers to somebody are not kept for others`)
    }
    return [member, items]
  })
  return Object.fromEntries(lists.filter(([, items]) => items.length > 0))
}

/** Whether one is set, of variables that stand together; beside a text they always are. */
function toConditionParts(template: string): string[] {
  const parts = parseTemplate(template)
  const texts = parts.filter((part) => typeof part === 'string').join('')
  if (texts !== '') {
    if (template === '0') return []
    return [parts.length === 1 && ITEM.test(template) ? template : ALWAYS]
  }
  return parts.flatMap((part) =>
    typeof part === 'object' && 'variable' in part ? [`$${part.variable}`] : [],
  )
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
