import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Clock } from '#kernel'
import { createBatches } from './batches.ts'
import { ACCESS_TOPIC } from './changes.ts'
import { createKnownKeys, type FoundKey } from './known-keys.ts'
import { type Changed, findChangedSince, newestRevision } from './store/changes.ts'
import { findSecrets, findStoredKey, type StoredSecret } from './store/secrets.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly reader: Kysely<AccessTables>
  readonly clock: Clock
  readonly revisions: Pick<Revisions, 'watch'>
}

const PREFIXES_AT_ONCE = 200

export type ChangeListener = (changed: Changed) => void | Promise<void>

/**
 * Whose secret it is, remembered until something about the key, its owner or its plan changes, by
 * whichever node.
 */
export async function createDirectory({ reader, clock, revisions }: Deps) {
  const secrets = createBatches(PREFIXES_AT_ONCE, async (prefixes: readonly string[]) => {
    const found = await findSecrets(reader, prefixes)
    const byPrefix = Map.groupBy(found, (secret) => secret.prefix)
    return (prefix) => byPrefix.get(prefix) ?? []
  })
  const { findByRawKey, findByDigest, findById, forget } = createKnownKeys({
    clock,
    source: {
      findSecret: async (digest, prefix) => match(await secrets.ask(prefix), digest),
      async findKey(id) {
        const stored = await findStoredKey(reader, id)
        return stored ? { stored, validUntilMs: null } : null
      },
    },
  })
  const listeners = new Set<ChangeListener>()
  let applied = await newestRevision(reader)
  let wanted = applied
  let applying: Promise<void> = Promise.resolve()
  const endWatch = revisions.watch(ACCESS_TOPIC, follow, applied)
  return { findByRawKey, findByDigest, findById, follow, onChange, close: endWatch }

  /** One after the other; each reading covers all that was asked for before it began. */
  function follow(revision: number): Promise<void> {
    wanted = Math.max(wanted, revision)
    applying = applying
      .catch(() => {})
      .then(async () => {
        if (applied >= revision) return
        const target = wanted
        const changed = await findChangedSince(reader, applied)
        forget(changed)
        applied = target
        for (const listener of listeners) await listener(changed)
      })
    return applying
  }

  /** Called after a change is in force here, by whomever it was made; the change waits for it. */
  function onChange(listener: ChangeListener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

export type Directory = Awaited<ReturnType<typeof createDirectory>>

/** Every secret with the prefix is compared, in constant time. */
function match(secrets: readonly StoredSecret[], digest: string): FoundKey | null {
  const presented = Buffer.from(digest, 'hex')
  let found: StoredSecret | null = null
  for (const secret of secrets) {
    const stored = Buffer.from(secret.hash, 'hex')
    const isEqual = stored.length === presented.length && timingSafeEqual(stored, presented)
    if (isEqual) found = secret
  }
  return found && { stored: found.key, validUntilMs: found.validUntilMs }
}
