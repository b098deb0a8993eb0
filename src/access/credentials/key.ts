import { renderTime } from '#kernel'
import type { FoundSecret, KnownKeys } from '../known-keys.ts'
import type { LastUsed } from '../last-used.ts'
import type { Principal } from '../principal.ts'
import { statusAt } from '../records.ts'
import { invalidKey, keyExpired, keyRevoked, keyRotated, userDisabled } from '../refusals.ts'
import { isRawKey } from '../secrets.ts'

interface Deps {
  readonly directory: Pick<KnownKeys, 'findByRawKey'>
  readonly lastUsed: Pick<LastUsed, 'note'>
  now(): number
}

export function createKeyCheck({ directory, lastUsed, now }: Deps) {
  /** At once for a remembered key, so that the common request waits for nothing. */
  return (rawKey: string): Principal | Promise<Principal> => {
    if (!isRawKey(rawKey)) throw invalidKey()
    const found = directory.findByRawKey(rawKey)
    return found instanceof Promise ? found.then(admit) : admit(found)
  }

  function admit(found: FoundSecret | null): Principal {
    if (!found) throw invalidKey()
    const nowMs = now()
    const refusal = refusalOf(found, nowMs)
    if (refusal) throw refusal
    lastUsed.note(found.known, nowMs)
    return found.known.principal
  }
}

/** Only a caller who presents the full correct secret is told why it fails (access contract §3.4). */
export function refusalOf({ known, validUntilMs }: FoundSecret, nowMs: number) {
  const { stored } = known
  const status = statusAt(stored, nowMs)
  if (status === 'revoked') return keyRevoked()
  if (status === 'expired') return keyExpired(renderTime(stored.expiresAtMs ?? nowMs))
  if (validUntilMs !== null && validUntilMs <= nowMs) return keyRotated()
  return stored.user.isActive ? undefined : userDisabled()
}
