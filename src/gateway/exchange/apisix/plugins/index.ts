import { isObject } from '#kernel'
import {
  CREDENTIAL_MEMBERS,
  isDisabled,
  type Json,
  type JsonObject,
} from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { LATE, lose, type Place, type Translate } from '../translation.ts'
import { toCors } from './cors.ts'
import { toLimitConn, toLimitCount, toLimitReq } from './limits.ts'
import { toFileLogger, toHttpLogger, withFormat } from './loggers.ts'
import { toOpenid } from './openid.ts'
import { toProxyCache } from './proxy-cache.ts'
import { toRequestValidation } from './request-validation.ts'
import { toConsumerRestriction, toIpRestriction, toRealIp } from './restrictions.ts'
import { toProxyRewrite, toRedirect, toResponseRewrite } from './rewrites.ts'
import { toTrafficSplit } from './traffic-split.ts'

const REPLACE_PLAN_ACCESS = `has no equal: plans, keys, counters and usage stay here. Where the route leads to Entrepot's own API, that asks for
the key and counts by itself, so the route may go without. Elsewhere take key-auth on the route, a consumer with a credential
for each key, and limit-count with the limits of the plan on a consumer group`

const SCRIPT =
  'has no equal: scripts there are Lua. Write the function anew, or put the work into a service'

/** What tokens could be signed with from the beginning. */
const EARLY_ALGORITHMS: readonly Json[] = ['HS256', 'HS512', 'RS256', 'ES256']

/** The others are taken there word for word. */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['plan-access', (_conf, tell) => lose(tell, REPLACE_PLAN_ACCESS.replaceAll('\n', ' '))],
  ['serverless-pre-function', (_conf, tell) => lose(tell, SCRIPT)],
  ['serverless-post-function', (_conf, tell) => lose(tell, SCRIPT)],
  ['rate-limiting', (conf, tell) => toLimitCount({ rejected_code: 429, ...conf }, tell)],
  ['limit-count', toLimitCount],
  ['limit-conn', toLimitConn],
  ['limit-req', toLimitReq],
  ['jwt-auth', toJwtAuth],
  ['consumer-restriction', toConsumerRestriction],
  ['ip-restriction', toIpRestriction],
  ['real-ip', toRealIp],
  ['cors', toCors],
  ['traffic-split', toTrafficSplit],
  ['proxy-cache', toProxyCache],
  ['proxy-rewrite', toProxyRewrite],
  ['response-rewrite', toResponseRewrite],
  ['redirect', toRedirect],
  ['request-id', onRequestId],
  ['request-validation', toRequestValidation],
  ['file-logger', toFileLogger],
  ['http-logger', toHttpLogger],
  ['openid-connect', toOpenid],
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

/** What all routes with the plugin share. */
export function toApisixMetadata(plugin: string, value: JsonObject, tell: Tell): JsonObject {
  return plugin.endsWith('-logger') ? withFormat(value, tell) : value
}

/** The plugins that have an equal, and the names of those that have none. */
export function toApisixPlugins(place: Place, tell: Tell) {
  const { kind, plugins } = place
  const isConsumer = kind === 'consumers' || kind === 'credentials'
  const lost: string[] = []
  const entries = Object.entries(plugins).flatMap(([name, conf]): [string, Json][] => {
    const path = `plugins.${name}`
    if (isConsumer && CREDENTIAL_MEMBERS.has(name) && isObject<Json>(conf) && isDisabled(conf)) {
      tell(path, 'is left out: disabled, it would let in there all the same')
      return []
    }
    const translate = TRANSLATIONS.get(name)
    if (!translate || !isObject<Json>(conf)) return [[name, conf]]
    const tellOfIt: Tell = (member, message) =>
      tell(member === '' ? path : `${path}.${member}`, message)
    const done = translate(conf, tellOfIt, place)
    if (done) return [[apisixName(name), done]]
    lost.push(name)
    return []
  })
  return { plugins: Object.fromEntries(entries), lost }
}

/** Upstreams trust what the gateway has put in; without the plugin, clients could send such headers themselves. */
function toJwtAuth({ claims_to_headers: claims, ...conf }: JsonObject, tell: Tell) {
  const { algorithm } = conf
  if (algorithm !== undefined && !EARLY_ALGORITHMS.includes(algorithm)) tell('algorithm', LATE)
  if (claims === undefined) return conf
  return lose(
    tell,
    'claims_to_headers has no equal, and clients could send those headers themselves',
  )
}

function onRequestId(conf: JsonObject, tell: Tell): JsonObject {
  if (conf['algorithm'] === 'ksuid') tell('algorithm', LATE)
  return conf
}
