import type { AccessLevel } from '#kernel'
import type { KnownKeys } from '../known-keys.ts'
import type { LastUsed } from '../last-used.ts'
import type { Principal } from '../principal.ts'
import { invalidKey } from '../refusals.ts'
import { refusalOf } from './key.ts'
import { narrowed } from './token.ts'

interface Deps {
  readonly directory: Pick<KnownKeys, 'findById'>
  readonly lastUsed: Pick<LastUsed, 'note'>
  now(): number
}

/** Who calls on the account of a key record, once another module has verified what stands for it. */
export function createRecordCheck({ directory, lastUsed, now }: Deps) {
  return async (keyId: number, ceiling: AccessLevel): Promise<Principal> => {
    const found = await directory.findById(keyId)
    if (!found) throw invalidKey()
    const nowMs = now()
    const refusal = refusalOf(found, nowMs)
    if (refusal) throw refusal
    lastUsed.note(found.known, nowMs)
    return narrowed(found.known.principal, ceiling, 'oauth')
  }
}
