import {
  type Accepted,
  type BulkStatus,
  type Counts,
  type Operation,
  STATUS,
  TOPICS,
} from '#commerce'
import { renderWireTime } from './times.ts'

const METHOD_NAMES = { POST: 'Save products', PUT: 'Save products', DELETE: 'Delete products' }
const DONE = { create: 'Created.', update: 'Updated.', delete: 'Deleted.' }

/** Contract §5.1: what became of each element of the request. */
export function renderAccepted({ uuid, elements }: Accepted) {
  return {
    bulk_uuid: uuid,
    errors: elements.some(({ rejection }) => rejection !== null),
    request_items: elements.map(({ dataHash, rejection }, id) =>
      rejection === null
        ? { id, data_hash: dataHash, status: 'accepted' }
        : { id, data_hash: null, status: 'rejected', error_message: rejection, error_code: 400 },
    ),
  }
}

/** Contract §5.3; `operations` as the caller wants them shown. */
export function renderBulk(bulk: BulkStatus, operations: readonly object[]) {
  const { uuid, userType, userId, startedAtMs, operationCount, counts, finishedAtMs } = bulk
  return {
    operations_list: operations,
    extension_attributes: {
      state: stateOf(counts),
      open: counts.open,
      complete: counts.complete,
      failed: counts.failed + counts.retriable,
      rejected: counts.rejected,
      finished_at: finishedAtMs === null ? null : renderWireTime(finishedAtMs),
    },
    user_type: userType,
    bulk_id: uuid,
    description: METHOD_NAMES[bulk.method],
    start_time: renderWireTime(startedAtMs),
    user_id: userId,
    operation_count: operationCount,
  }
}

export function renderOperation({ id, status, message, action, errorCode }: Operation) {
  const done = status === STATUS.complete && action !== null ? DONE[action] : ''
  return { id, status, result_message: message || done, error_code: errorCode }
}

/** Of one among operations of several bulks. */
export function renderListed(operation: Operation) {
  return {
    ...renderOperation(operation),
    bulk_uuid: operation.bulkUuid,
    topic_name: TOPICS[operation.method],
    start_time: renderWireTime(operation.startedAtMs),
  }
}

/** `product`: the text of the product that the operation made or changed, as it is now. */
export function renderDetailed(operation: Operation, product: string | null) {
  return {
    ...renderOperation(operation),
    bulk_uuid: operation.bulkUuid,
    topic_name: TOPICS[operation.method],
    serialized_data: operation.data,
    result_serialized_data: product,
  }
}

/** Finished only when nothing is open. */
function stateOf({ open, complete, retriable, failed, rejected }: Counts): string {
  if (open > 0) return complete + retriable + failed === 0 ? 'not_started' : 'in_progress'
  return retriable + failed + rejected === 0 ? 'finished' : 'finished_with_errors'
}
