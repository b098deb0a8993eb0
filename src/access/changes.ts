import type { Transaction } from 'kysely'
import type { Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { Clock } from '#kernel'
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
 * until the commit: what a change has looked at cannot change before it is done. Those of this
 * process queue here, so that they do not take all connections only to wait for each other.
 */
export function createChanges({ db, clock, revisions, follow }: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  return { change }

  async function change<T>(work: (change: Change) => Promise<T>, joined?: Tx): Promise<T> {
    if (joined) {
      const { revision, result } = await run(work, joined)
      joined.afterCommit(() => follow(revision))
      return result
    }
    const turn = last.then(() => db.main.transaction(undefined, (tx) => run(work, tx)))
    last = turn.catch(() => {})
    const { revision, result } = await turn
    // It is done; when it cannot be followed now, whoever watches the revision tries again.
    await follow(revision).catch(() => {})
    return result
  }

  async function run<T>(work: (change: Change) => Promise<T>, tx: Tx) {
    const revision = await revisions.bump(tx, ACCESS_TOPIC)
    const trx = tx.as<AccessTables>()
    const result = await work({ tx, trx, nowMs: clock.now(), revision })
    return { revision, result }
  }
}

export type Changes = ReturnType<typeof createChanges>
