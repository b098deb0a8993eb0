import type { Directory } from '../directory.ts'
import type { KnownKey } from '../known-keys.ts'
import { statusAt } from '../records.ts'

interface Deps {
  readonly directory: Pick<Directory, 'findById'>
  now(): number
}

/** The key record of a client, as long as it and its owner may be used. */
export function createHolders({ directory, now }: Deps) {
  return { find }

  /** At once for a remembered one, so that the common request waits for nothing. */
  function find(keyId: number): KnownKey | null | Promise<KnownKey | null> {
    const found = directory.findById(keyId)
    return found instanceof Promise
      ? found.then((later) => usable(later?.known))
      : usable(found?.known)
  }

  function usable(known: KnownKey | undefined): KnownKey | null {
    if (!known) return null
    const { stored } = known
    return stored.user.isActive && statusAt(stored, now()) === 'active' ? known : null
  }
}

export type Holders = ReturnType<typeof createHolders>
