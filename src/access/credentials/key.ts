import type { FastifyRequest } from 'fastify'
import { queryCredential, renderTime } from '#kernel'
import type { Directory, FoundSecret } from '../directory.ts'
import type { LastUsed } from '../last-used.ts'
import type { Principal } from '../principal.ts'
import { statusAt } from '../records.ts'
import { invalidKey, keyExpired, keyRevoked, keyRotated, userDisabled } from '../refusals.ts'
import { isRawKey } from '../secrets.ts'

interface Deps {
  readonly directory: Pick<Directory, 'findByRawKey'>
  readonly lastUsed: Pick<LastUsed, 'note'>
  now(): number
}

export interface PresentedKey {
  readonly value: string
  /** Access tokens are taken from the header of RFC 6750 only. */
  readonly isBearer: boolean
}

/** Doc 2 §5: the first place that has one decides; an empty value counts as absent. */
export function findPresentedKey(request: FastifyRequest): PresentedKey | undefined {
  const header = request.headers['x-api-key']
  if (typeof header === 'string' && header !== '') return { value: header, isBearer: false }
  const bearer = bearerOf(request.headers.authorization)
  if (bearer) return { value: bearer, isBearer: true }
  const value = queryCredential(request, 'api_key')
  return value === undefined ? undefined : { value, isBearer: false }
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

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const [, token] = /^bearer +(\S.*)$/i.exec(authorization) ?? []
  return token
}
