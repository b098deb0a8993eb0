import type { NewEvent } from '#events'
import { renderTime } from '#kernel'
import { type OperationAction, type OperationStatus, STATUS } from '../bulks/tables.ts'

/** The feedback queue of Doc 3 §6: one message for every operation that came to an end. */
export const OPERATION_EVENT = 'product_action_notification'
const BULK_EVENT = 'bulk.completed'

/** An operation that came to an end. */
export interface EndedOperation {
  readonly bulkUuid: string
  readonly id: number
  readonly sku: string | null
  readonly action: OperationAction
  readonly status: Exclude<OperationStatus, typeof STATUS.open>
  readonly message: string
  readonly errorCode: number | null
  readonly productId: number | null
  readonly dataHash: string | null
  readonly consumerId: string
}

const RESULTS: Readonly<Record<EndedOperation['status'], string>> = {
  [STATUS.complete]: 'complete',
  [STATUS.retriable]: 'failed_retriable',
  [STATUS.failed]: 'failed',
  [STATUS.rejected]: 'rejected',
}

export function operationEvent(operation: EndedOperation): NewEvent {
  const { bulkUuid, id, sku, action, status, message } = operation
  return {
    type: OPERATION_EVENT,
    owner: operation.consumerId,
    payload: {
      ...{ bulk_uuid: bulkUuid, operation_id: id, sku, action, status, result: RESULTS[status] },
      ...{ message, error_code: operation.errorCode, product_id: operation.productId },
      data_hash: operation.dataHash,
    },
  }
}

export interface EndedBulk {
  readonly uuid: string
  readonly consumerId: string
  readonly operationCount: number
  readonly complete: number
  readonly failed: number
  readonly rejected: number
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

export function bulkEvent(bulk: EndedBulk): NewEvent {
  const { uuid, operationCount, complete, failed, rejected } = bulk
  return {
    type: BULK_EVENT,
    owner: bulk.consumerId,
    payload: {
      ...{ bulk_uuid: uuid, operation_count: operationCount, complete, failed, rejected },
      started_at: renderTime(bulk.startedAtMs),
      finished_at: renderTime(bulk.finishedAtMs),
    },
  }
}

const EXAMPLE = {
  bulkUuid: '0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44',
  id: 0,
  sku: 'MUG-1/B',
  action: 'create',
  status: STATUS.complete,
  message: '',
  errorCode: null,
  productId: 42,
  dataHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  consumerId: '',
} as const
const BULK_EXAMPLE = {
  ...{ uuid: EXAMPLE.bulkUuid, consumerId: '', operationCount: 3, complete: 2, failed: 1 },
  ...{ rejected: 0, startedAtMs: 1_777_890_030_123, finishedAtMs: 1_777_890_031_456 },
}

/** What this module tells its users. */
export const COMMERCE_EVENTS = [
  {
    name: OPERATION_EVENT,
    description: 'An asynchronous change of a product was carried out, failed or was rejected',
    visibility: 'owner',
    examplePayload: operationEvent(EXAMPLE).payload,
  },
  {
    name: BULK_EVENT,
    description: 'Nothing of a bulk of asynchronous changes is open any more',
    visibility: 'owner',
    examplePayload: bulkEvent(BULK_EXAMPLE).payload,
  },
] as const
