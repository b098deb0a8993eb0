import type { Database, Tx } from '#db'
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

  /** Of one bulk. When another worker was quicker with one of them, nothing of the transaction happens. */
  async function record(tx: Tx, list: readonly Ended[]): Promise<void> {
    if (list.length === 0) return
    const operations = list.map(({ operation }) => operation)
    if (!(await holdDue(tx, db.dialect, operations))) throw overtaken()
    const trx = tx.as<BulksTables>()
    for (const alike of groupAlike(list)) {
      const [first] = alike
      if (!first) continue
      const rows = alike.map(({ operation: { bulkNo, id }, productId }) => ({
        bulkNo,
        id,
        productId,
      }))
      await saveOutcome(trx, db.dialect, rows, first, clock.now())
    }
    await appendEvents(tx, list.map(toEvent))
  }
}

function groupAlike(list: readonly Ended[]): Iterable<readonly Ended[]> {
  const keyOf = ({ status, action, message, errorCode, productId }: Ended) =>
    JSON.stringify([status, action, message, errorCode, productId === null])
  return Map.groupBy(list, keyOf).values()
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
