import { carryOutIn, type Database, type Tx, type WriteStep } from '#db'
import type { NewEvent } from '#events'
import { type Clock, conflict } from '#kernel'
import { type EndedOperation, operationEvent } from '../feedback/events.ts'
import { type DueOperation, holdDue, saveOutcome } from './store.ts'
import { type BulksTables, type OperationAction, STATUS } from './tables.ts'

interface Deps {
  readonly db: Pick<Database, 'dialect'>
  readonly clock: Clock
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

/** What an operation came to. */
export interface Ended {
  readonly operation: DueOperation
  readonly status: EndedOperation['status']
  readonly action: OperationAction
  readonly message: string
  readonly errorCode: number | null
  readonly productId: number | null
}

/** Writes what operations came to, each with its message to the feedback queue, in the transaction of their effect. */
export function createOutcomes({ db, clock, appendEvents }: Deps) {
  return { record }

  /** When another worker was quicker with one of them, nothing of the transaction happens. */
  async function record(tx: Tx, list: readonly Ended[]): Promise<void> {
    if (list.length === 0) return
    const trx = tx.as<BulksTables>()
    const nowMs = clock.now()
    const steps: WriteStep[] = []
    for (const ended of list) {
      if (!(await holdDue(tx, db.dialect, ended.operation))) throw overtaken()
      steps.push(saveOutcome(trx, ended.operation, ended, nowMs))
    }
    await carryOutIn(tx, steps)
    await appendEvents(tx, list.map(toEvent))
  }
}

function toEvent({ operation, ...ended }: Ended): NewEvent {
  const { bulkUuid, id, sku, dataHash, consumerId } = operation
  return operationEvent({ ...ended, bulkUuid, id, sku, dataHash, consumerId })
}

/** Of an operation that was rejected when its bulk came in. */
export function rejectedOutcome(operation: DueOperation): Ended {
  const { method, message } = operation
  const action = method === 'POST' ? 'create' : method === 'PUT' ? 'update' : 'delete'
  const status = STATUS.rejected
  return { operation, status, action, message, errorCode: 400, productId: null }
}

const OVERTAKEN = 'operation_overtaken'

function overtaken() {
  return conflict(OVERTAKEN, 'Another worker has carried the operation out')
}

export function isOvertaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === OVERTAKEN
}
