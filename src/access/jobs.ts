import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Database } from '#db'
import { createLoop, type Loop } from '#jobs'
import type { Clock, Log, Random } from '#kernel'
import { createChanges } from './changes.ts'
import { type AppendEvents, createKeyEvents } from './key-events.ts'
import { purgeExpiredTokens } from './oauth/purge.ts'
import { findOverdueKeys, updateKeys } from './store/keys.ts'
import { deleteExpired } from './store/passing.ts'
import { findUser } from './store/users.ts'
import type { AccessTables } from './tables.ts'
import { createStreamNotes } from './usage/stream-notes.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly revisions: Pick<Revisions, 'bump'>
  readonly appendEvents: AppendEvents
  readonly log: Log
  readonly random: Random
}

/** The stored status follows within 60 s (access contract §2.3); this leaves room for failures. */
const EVERY_MS = 5_000
const CLEAN_EVERY_MS = 60_000
const KEYS_PER_TURN = 50

/**
 * What time does to credentials. It may run on every node at once: who comes second finds nothing
 * left to do.
 */
export function startAccessJobs({ db, clock, revisions, appendEvents, log, random }: Deps): Loop {
  const reader: Kysely<AccessTables> = db.main.reader
  const streams = createStreamNotes({ db, clock, revisions })
  const events = createKeyEvents({ appendEvents, streams })
  // The main thread follows the revision by its notice.
  const changes = createChanges({ db, clock, revisions, follow: async () => {} })
  let cleanedAtMs = 0
  return createLoop({ name: 'access', everyMs: EVERY_MS, log, random, run })

  async function run() {
    await clean()
    return expireKeys()
  }

  async function clean() {
    const nowMs = clock.now()
    if (Math.abs(nowMs - cleanedAtMs) < CLEAN_EVERY_MS) return
    await deleteExpired(db.main.writer, nowMs)
    await purgeExpiredTokens({ db, clock })
    cleanedAtMs = nowMs
  }

  /** True when there may be more. */
  async function expireKeys(): Promise<boolean> {
    const [due] = await findOverdueKeys(reader, clock.now(), 1)
    if (!due) return false
    return changes.change(async (change) => {
      const { trx, nowMs, revision } = change
      const keys = await findOverdueKeys(trx, nowMs, KEYS_PER_TURN)
      await updateKeys(
        trx,
        keys.map((key) => key.id),
        { status: 'expired', revision },
      )
      for (const key of keys) {
        const owner = await findUser(trx, key.userId)
        if (owner)
          await events.append(change, 'key.expired', [{ ...key, status: 'expired' }], owner)
      }
      return keys.length === KEYS_PER_TURN
    })
  }
}

export { createConsumers } from './consumers.ts'
export { createUsageRetention } from './usage/retention.ts'
