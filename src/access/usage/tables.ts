import type { Generated } from 'kysely'
import type { Period } from './periods.ts'

interface TotalColumns {
  requests: number
  errors: number
  rejected: number
  cost: number
  response_ms: number
}

export interface SumRow extends TotalColumns {
  api_key_id: number
  period: Period
  /** The period's first millisecond. */
  at: number
  /** Of a month: which seed the counter of the key has come to. */
  epoch: Generated<number>
}

interface EndpointSumRow extends Omit<SumRow, 'epoch'> {
  endpoint: string
  method: string
  histogram: string
}

export interface RecordRow {
  id: Generated<number>
  /** Given by the journal: however often a record is read, it is stored once. */
  record_id: string
  api_key_id: number
  endpoint: string
  method: string
  status_code: number
  response_ms: number
  created_at: number
  counted: number
  cost: number
  request_id: string
}

export interface ThresholdRow {
  id: Generated<number>
  api_key_id: number
  month_at: number
  percent: number
  used: number
  month_limit: number
  crossed_at: number
  /** 1 once streams and outbox have it. */
  announced: number
}

/** In the store of usage. */
export interface UsageTables {
  access_usage_records: RecordRow
  access_usage_sums: SumRow
  access_usage_endpoint_sums: EndpointSumRow
  access_usage_thresholds: ThresholdRow
}

/** In the main store. */
export interface StreamTables {
  access_stream_events: {
    /** In the order of commits. */
    id: number
    /** Null: it concerns the user as a whole. */
    api_key_id: number | null
    user_id: number
    event: string
    data: string
    /** What must not be said twice. */
    once: string | null
    at: number
  }
  /** How many streams a node has open for a key or user, until when it may be believed. */
  access_stream_seats: { name: string; node: string; seats: number; expires_at: number }
}
