import type { AccessLevel } from '#kernel'
import type { KnownKeys } from '../known-keys.ts'
import type { LastUsed } from '../last-used.ts'
import type { Principal } from '../principal.ts'
import { lowerOf } from '../records.ts'
import { invalidKey, userDisabled } from '../refusals.ts'
import { refusalOf } from './key.ts'

/** Finds a valid access token: the key record of its client, and the level it was granted. */
type FindToken = (
  token: string,
) => Promise<{ readonly keyId: number; readonly access: AccessLevel } | null>

interface Deps {
  readonly directory: Pick<KnownKeys, 'findById'>
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly findToken: FindToken
  now(): number
}

const PREFIX = 'at_'

export function isAccessToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Access contract §5: whatever is wrong with a token or its client, it is an invalid one. */
export function createTokenCheck({ directory, lastUsed, findToken, now }: Deps) {
  return async (token: string): Promise<Principal> => {
    const granted = await findToken(token)
    const found = granted ? await directory.findById(granted.keyId) : null
    if (!granted || !found) throw invalidKey()
    const nowMs = now()
    const refusal = refusalOf(found, nowMs)
    if (refusal) throw found.known.stored.user.isActive ? invalidKey() : userDisabled()
    lastUsed.note(found.known, nowMs)
    return narrowed(found.known.principal, granted.access, 'oauth')
  }
}

/** The same caller by another credential, which may have less rights than the key it stands for. */
export function narrowed(
  { actor, key }: Principal,
  ceiling: AccessLevel,
  kind: 'oauth' | 'ticket',
): Principal {
  const access = lowerOf(actor.access, ceiling)
  return { actor: { ...actor, access, kind }, key: key && { ...key, access } }
}
