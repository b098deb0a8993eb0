import { type Kysely, sql } from 'kysely'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import type { Clock } from '#kernel'
import { bulkEvent } from '../feedback/events.ts'
import { type BulksTables, type OperationStatus, STATUS } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

type Db = Kysely<BulksTables>

const AT_ONCE = 100

/** Tells of bulks of which nothing is open any more, each once, also of those whose worker died before it could. */
export function createCompletion({ db, clock, appendEvents }: Deps) {
  const reader: Db = db.main.reader
  return { completeAll }

  async function completeAll(): Promise<void> {
    for (;;) {
      const ended = await findEnded(reader)
      for (const no of ended) await complete(no)
      if (ended.length < AT_ONCE) return
    }
  }

  function complete(no: number): Promise<void> {
    return db.main.write(async (tx) => {
      const trx = tx.as<BulksTables>()
      const [bulk] = await ended(trx)
        .where('b.no', '=', no)
        .selectAll('b')
        .select((e) => {
          const operations = e
            .selectFrom('commerce_operations as o')
            .whereRef('o.bulk_no', '=', 'b.no')
          const count = (...statuses: OperationStatus[]) =>
            operations.where('o.status', 'in', statuses).select(sql<number>`count(*)`.as('count'))
          return [
            count(STATUS.complete).$asScalar().as('complete'),
            count(STATUS.failed, STATUS.retriable).$asScalar().as('failed'),
            count(STATUS.rejected).$asScalar().as('rejected'),
            operations.select(sql<number>`max(o.done_at)`.as('last')).$asScalar().as('finished_at'),
          ]
        })
        .execute()
      // Another node was quicker, or operations are tried again.
      if (!bulk) return () => {}
      // Held first: a retry of the bulk then comes before the look at its operations, or after this.
      tx.guard(
        trx
          .selectFrom('commerce_bulks')
          .select('no')
          .where('no', '=', no)
          .where('completed_at', 'is', null)
          .$if(db.dialect.rowLocks, (query) => query.forUpdate()),
      )
      tx.guard(ended(trx).where('b.no', '=', no).select('b.no'))
      await trx
        .updateTable('commerce_bulks')
        .set({ completed_at: clock.now() })
        .where('no', '=', no)
        .execute()
      const event = bulkEvent({
        ...{ uuid: bulk.uuid, consumerId: bulk.consumer_id, operationCount: bulk.operation_count },
        ...{ complete: bulk.complete ?? 0, failed: bulk.failed ?? 0, rejected: bulk.rejected ?? 0 },
        startedAtMs: bulk.started_at,
        finishedAtMs: bulk.finished_at ?? clock.now(),
      })
      await appendEvents(tx, [event])
      return () => {}
    })
  }
}

async function findEnded(db: Db): Promise<number[]> {
  const rows = await ended(db).select('b.no').orderBy('b.no').limit(AT_ONCE).execute()
  return rows.map(({ no }) => no)
}

function ended(db: Db) {
  return db
    .selectFrom('commerce_bulks as b')
    .where('b.completed_at', 'is', null)
    .where('b.accepted_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('commerce_operations as o')
            .select('o.id')
            .whereRef('o.bulk_no', '=', 'b.no')
            .where('o.is_due', '=', sql.lit(1)),
        ),
      ),
    )
}
