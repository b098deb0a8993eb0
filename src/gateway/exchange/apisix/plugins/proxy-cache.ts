import { parseTemplate, variablesIn } from '../../../plane/template.ts'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import type { Place } from '../translation.ts'

const ZONE = 'memory_cache'
const KEY = ['$host', '$request_uri']
const ALWAYS = 'always'
/** By which a request is somebody's. First what every version looks at: some end such a list at what is not set. */
const WHOSE = ['$http_authorization', '$consumer_name', '$http_x_access_token', '$http_cookie']
/** Never keeps or gives anything; it stands in the way of a cache that the route would else have from its service. */
const NO_CACHE: JsonObject = {
  ...{ cache_strategy: 'memory', cache_zone: ZONE },
  ...{ cache_bypass: [ALWAYS], no_cache: [ALWAYS] },
}

const BY_HAND = `it is never used there. Where nobody can be given the answer to somebody else, put its settings back by hand, without
always in cache_bypass and no_cache`
const CHECK = `keeps answers apart by host and URI alone there, not by route, and some versions end cache_bypass and no_cache at the first
variable that is not set: see that answers to a cookie or a consumer are not kept, and that no other route for the same URI has a cache`

/** Losing a cache opens nothing, sharing one does: only what keeps everybody's answers apart there too is used. */
export function toProxyCache(given: JsonObject, tell: Tell, place: Place): JsonObject {
  const why = whyUnsafe(given, place)
  if (why !== null) {
    tell('', `${why}, so ${BY_HAND.replaceAll('\n', ' ')}`)
    return NO_CACHE
  }
  tell('', CHECK.replaceAll('\n', ' '))
  const { cache_zone: zone = ZONE, cache_bypass: _bypass, no_cache: _refusal, ...conf } = given
  return {
    ...{ cache_strategy: 'memory', ...conf, cache_zone: toZone(String(zone), tell) },
    ...(given['cache_key'] === undefined ? {} : { cache_key: KEY }),
    ...toConditions(given, tell),
  }
}

function whyUnsafe({ cache_key: key }: JsonObject, { plugins, isDivided }: Place): string | null {
  if (key !== undefined && textsOf(key).join('') !== KEY.join('')) {
    return 'has a cache_key whose parts stand together there with nothing between, nor is the route in it'
  }
  if (Object.keys(plugins).some((name) => name.endsWith('-auth') || name === 'openid-connect')) {
    return 'stands beside a plugin that asks who it is, and keeps nothing here either'
  }
  return isDivided
    ? 'is on routes that vars or addresses divide, which share one cache there'
    : null
}

function toZone(zone: string, tell: Tell): string {
  if (zone === ZONE) return zone
  // That of the disk, which is there from the beginning.
  const isOnDisk = zone === 'disk_cache_one'
  if (isOnDisk) tell('cache_zone', `is ${ZONE}: there the zone ${zone} is on disk`)
  else tell('cache_zone', 'must be named there too: apisix.proxy_cache.zones in config.yaml')
  return isOnDisk ? ZONE : zone
}

/** Answers to somebody are nobody else's here, whatever the lists say. */
function toConditions(given: JsonObject, tell: Tell): JsonObject {
  const lists = ['cache_bypass', 'no_cache'].map((member): [string, string[]] => {
    const texts = textsOf(given[member]).filter((text) => text !== '0')
    const items = texts.some(isAlwaysSet)
      ? [ALWAYS]
      : [...new Set([...WHOSE, ...texts.flatMap(variablesIn).map((name) => `$${name}`)])]
    tell(member, `is [${items.join(', ')}]: here answers to somebody are not kept for others`)
    return [member, items]
  })
  return Object.fromEntries(lists)
}

/** Of variables that stand together one has to be set; beside a text they always are. */
function isAlwaysSet(template: string): boolean {
  return parseTemplate(template).some((part) => typeof part === 'string' && part !== '')
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
