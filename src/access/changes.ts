import type { Transaction } from 'kysely'
import type { Clock, Database, Revisions, Tx } from '#kernel'
import type { AccessTables } from './tables.ts'

/** What everybody who remembers keys, users or plans watches. */
export const ACCESS_TOPIC = 'access.keys'

/** One change of keys, users or plans, inside its transaction. */
export interface Change {
  readonly tx: Tx
  readonly trx: Transaction<AccessTables>
  readonly nowMs: number
  /** Every row that is written carries it: that is how others find out what changed. */
  readonly revision: number
}

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly revisions: Pick<Revisions, 'bump'>
  /** Puts the change into force in this process before its call is answered. */
  follow(revision: number): Promise<void>
}

/**
 * Changes come one after the other on all nodes, because the revision's row is locked first and
 * until the commit: what a change has looked at cannot change before it is done.
 */
export function createChanges({ db, clock, revisions, follow }: Deps) {
  return { change }

  function change<T>(work: (change: Change) => Promise<T>, joined?: Tx): Promise<T> {
    return db.main.transaction(joined, async (tx) => {
      const revision = await revisions.bump(tx, ACCESS_TOPIC)
      tx.afterCommit(() => follow(revision))
      return work({ tx, trx: tx.as<AccessTables>(), nowMs: clock.now(), revision })
    })
  }
}

export type Changes = ReturnType<typeof createChanges>
