import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose } from '../translation.ts'
import { toWhole } from '../upstream.ts'

/** Whatever others take for granted, these hold here when nothing is said. */
const DEFAULTS = {
  accept_unsupported_alg: false,
  ssl_verify: true,
  use_nonce: true,
  use_pkce: true,
}
const SESSION = ['secret', 'cookie', 'storage']

export function toOpenid(given: JsonObject, tell: Tell): JsonObject | undefined {
  const { session: own, introspection_addon_headers: addons, ...rest } = given
  const session = isObject<Json>(own) ? toSession(own, tell) : undefined
  const isSecret = session?.['secret'] !== undefined
  const signsIn = given['bearer_only'] !== true
  if (signsIn && !isSecret) {
    return lose(tell, 'has no equal without session.secret: set one here and export once more')
  }
  if (session && !isSecret) tell('session', 'is left out: there it has a secret, and here no use')
  const hasAddons = Array.isArray(addons) && addons.length > 0
  if (addons && !hasAddons) tell('introspection_addon_headers', 'is left out: it is empty')
  const { timeout } = rest
  return {
    ...DEFAULTS,
    ...rest,
    ...(timeout === undefined ? {} : { timeout: toWhole(timeout, 'timeout', tell) }),
    ...(hasAddons ? { introspection_addon_headers: addons } : {}),
    ...(isSecret ? { session } : {}),
  }
}

function toSession(session: JsonObject, tell: Tell): JsonObject {
  const unknown = Object.keys(session).filter((name) => !SESSION.includes(name))
  for (const name of unknown) tell(`session.${name}`, 'has no equal')
  return Object.fromEntries(Object.entries(session).filter(([name]) => SESSION.includes(name)))
}
