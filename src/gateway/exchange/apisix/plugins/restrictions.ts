import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose, type Place } from '../translation.ts'

/** They say which consumer calls. */
const NAMING = ['basic-auth', 'jwt-auth', 'key-auth']

export function toConsumerRestriction(conf: JsonObject, tell: Tell, place: Place) {
  const { type = 'consumer_name', whitelist, allowed_by_methods: given } = conf
  if ((type === 'service_id' || type === 'route_id') && !isNamed(place)) {
    return lose(tell, `has no equal: there ${type} is looked at for requests of nobody too`)
  }
  if (!Array.isArray(given)) return conf
  const users = given.filter((entry) => isObject<Json>(entry))
  if (Array.isArray(whitelist) && users.some(({ user }) => whitelist.includes(user ?? null))) {
    return lose(tell, 'has no equal: there whoever is in whitelist may use every method')
  }
  const methods = new Map<Json, Json[]>()
  for (const { user = null, methods: some } of users) {
    methods.set(user, [...(methods.get(user) ?? []), ...(Array.isArray(some) ? some : [])])
  }
  if (methods.size === users.length) return conf
  tell('allowed_by_methods', 'has one entry for a user: there the first is all that counts')
  const merged = [...methods].map(([user, all]) => ({ user, methods: [...new Set(all)] }))
  return { ...conf, allowed_by_methods: merged }
}

function isNamed({ kind, plugins }: Place): boolean {
  const isOfConsumer = kind === 'consumers' || kind === 'consumer_groups'
  return isOfConsumer || NAMING.some((name) => Object.hasOwn(plugins, name))
}

export function toIpRestriction(given: JsonObject, tell: Tell): JsonObject | undefined {
  const { response_code: status, ...conf } = given
  const isKnown = status === undefined || status === 403 || status === 404
  if (!isKnown) tell('response_code', `is 403: there it cannot be ${status}`)
  return withNetworks(isKnown ? given : conf, ['whitelist', 'blacklist'], tell)
}

export function toRealIp(conf: JsonObject, tell: Tell): JsonObject | undefined {
  return withNetworks(conf, ['trusted_addresses'], tell)
}

function withNetworks(conf: JsonObject, members: readonly string[], tell: Tell) {
  const changed: Record<string, Json> = {}
  for (const member of members) {
    const list = conf[member]
    if (!Array.isArray(list)) continue
    const networks = list.map((each) => toNetwork(String(each)))
    if (networks.includes(null)) {
      return lose(tell, `has no equal: there ${member} holds no names of interfaces`)
    }
    changed[member] = networks
    if (networks.join() !== list.join()) tell(member, `is written as ${networks.join(', ')}`)
  }
  return { ...conf, ...changed }
}

/** Without dots in addresses of version 6 and without zeros before a number; null for a link of one machine. */
function toNetwork(text: string): string | null {
  const [address = '', prefix] = text.split('/')
  if (address.includes('%')) return null
  const isMixed = address.includes(':') && address.includes('.')
  const plain = isMixed ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
  return prefix === undefined ? plain : `${plain}/${Number(prefix)}`
}
