import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database } from '#db'
import type { Actor, Clock, Ids } from '#kernel'
import type { Criteria } from '../criteria.ts'
import { createAcceptance } from './accept.ts'
import { findOperations, type OperationList } from './list.ts'
import { type BulkStatus, getStatus, type PageOf } from './status.ts'
import { type BulksTables, type OperationStatus, STATUS } from './tables.ts'
import { DUE_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly maxBulkItems: number
}

/** Asynchronous changes of products: taken in here, carried out by the worker (commerce contract §5). */
export function createBulks(deps: Deps) {
  const { db, bus } = deps
  const reader: Kysely<BulksTables> = db.main.reader
  return { ...createAcceptance(deps), status, countOf, retry, list }

  function status(actor: Actor, uuid: string, page: PageOf): Promise<BulkStatus> {
    return getStatus(reader, actor, uuid, page)
  }

  /** How many operations have the status. */
  async function countOf(actor: Actor, uuid: string, wanted: OperationStatus): Promise<number> {
    const { counts } = await getStatus(reader, actor, uuid, { pageSize: 0, currentPage: 1 })
    const of = {
      [STATUS.open]: counts.open,
      [STATUS.complete]: counts.complete,
      [STATUS.retriable]: counts.retriable,
      [STATUS.failed]: counts.failed,
      [STATUS.rejected]: counts.rejected,
    }
    return of[wanted]
  }

  /** Operations that failed because storage was busy are open again; of the others none is touched. */
  async function retry(actor: Actor, uuid: string): Promise<void> {
    await getStatus(reader, actor, uuid, { pageSize: 0, currentPage: 1 })
    await db.main.write(async (tx) => {
      const trx = tx.as<BulksTables>()
      const { no } = await trx
        .selectFrom('commerce_bulks')
        .select('no')
        .where('uuid', '=', uuid)
        .executeTakeFirstOrThrow()
      await trx
        .updateTable('commerce_operations')
        .set({ status: STATUS.open, is_due: 1, message: '', error_code: null, done_at: null })
        .where('bulk_no', '=', no)
        .where('status', '=', STATUS.retriable)
        .execute()
      await trx
        .updateTable('commerce_bulks')
        .set({ completed_at: null })
        .where('no', '=', no)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('commerce_operations')
              .select('id')
              .where('bulk_no', '=', no)
              .where('status', '=', STATUS.open),
          ),
        )
        .execute()
      tx.afterCommit(() => bus.publish(DUE_TOPIC, null))
      return () => {}
    })
  }

  function list(actor: Actor, criteria: Criteria): Promise<OperationList> {
    return findOperations(reader, db.dialect, actor, criteria)
  }
}

export type Bulks = ReturnType<typeof createBulks>
