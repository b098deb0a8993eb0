import type { Generated } from 'kysely'
import type { AccessLevel } from '#kernel'

export type BulkMethod = 'POST' | 'PUT' | 'DELETE'

/** As clients of the dialect know the kinds of changes. */
export const TOPICS: Readonly<Record<BulkMethod, string>> = {
  POST: 'async.V1.products.POST',
  PUT: 'async.V1.products.PUT',
  DELETE: 'async.V1.products.DELETE',
}

/** Commerce contract §5.2. */
export const STATUS = { complete: 1, retriable: 2, failed: 3, open: 4, rejected: 5 } as const
export type OperationStatus = (typeof STATUS)[keyof typeof STATUS]

export function isOperationStatus(value: number): value is OperationStatus {
  return Object.values<number>(STATUS).includes(value)
}

export type OperationAction = 'create' | 'update' | 'delete'

export interface BulksTables {
  commerce_bulks: {
    no: Generated<number>
    uuid: string
    user_id: number
    consumer_id: string
    access: AccessLevel
    /** 1 integration, 2 administrator. */
    user_type: 1 | 2
    store: string | null
    method: BulkMethod
    operation_count: number
    started_at: number
    accepted_at: number | null
    completed_at: number | null
  }
  commerce_operations: {
    bulk_no: number
    id: number
    sku: string | null
    data: string
    data_hash: string | null
    status: OperationStatus
    is_due: number
    action: OperationAction | null
    message: string
    error_code: number | null
    product_id: number | null
    done_at: number | null
  }
}
