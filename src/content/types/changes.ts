import type { Transaction } from 'kysely'
import { type Revisions, storedRevision } from '#bus'
import { againAfterDeadlock, type Database, type Tx } from '#db'
import type { Clock } from '#kernel'
import { MODEL_TOPIC } from '../model-holder.ts'
import type { ContentTables } from '../tables.ts'
import type { StoredModel } from './definition.ts'
import { readModel } from './store.ts'

/** One change of types, components or locales, inside its transaction. */
export interface ModelChange {
  readonly tx: Tx
  readonly trx: Transaction<ContentTables>
  readonly nowMs: number
  /** What is stored at this moment; nobody else changes it before the commit. */
  readonly stored: StoredModel
}

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly revisions: Pick<Revisions, 'bump'>
  /** Puts the change into force in this process before its call is answered. */
  follow(revision: number): Promise<void>
}

/**
 * Changes of the model come one after the other on all nodes, because the revision's row is locked
 * first and until the commit. Those of this process queue here instead of taking connections.
 */
export function createModelChanges({ db, clock, revisions, follow }: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  return { change, settle }

  async function change<T>(work: (change: ModelChange) => Promise<T>): Promise<T> {
    const turn = last.then(() => runWhole(work))
    last = turn.catch(() => {})
    const { revision, result } = await turn
    // It is done; when it cannot be followed now, whoever watches the revision tries again.
    await follow(revision).catch(() => {})
    return result
  }

  /** Everything that is committed is in force in this process, whoever has changed it. */
  async function settle(): Promise<void> {
    await follow(await storedRevision(db.main, MODEL_TOPIC))
  }

  /** Writers of entries lock in another order; whoever loses has left nothing and begins again. */
  function runWhole<T>(work: (change: ModelChange) => Promise<T>) {
    return againAfterDeadlock(db.dialect, () =>
      db.main.transaction(undefined, (tx) => run(work, tx)),
    )
  }

  async function run<T>(work: (change: ModelChange) => Promise<T>, tx: Tx) {
    const revision = await revisions.bump(tx, MODEL_TOPIC)
    const trx = tx.as<ContentTables>()
    const stored = await readModel(trx)
    const result = await work({ tx, trx, nowMs: clock.now(), stored })
    return { revision, result }
  }
}

export type ModelChanges = ReturnType<typeof createModelChanges>
