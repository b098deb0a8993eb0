import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { RecordRow, UsageTables } from './tables.ts'

type Reader = Kysely<UsageTables>

export interface StoredRecord {
  readonly id: number
  readonly keyId: number
  readonly endpoint: string
  readonly method: string
  readonly statusCode: number
  readonly responseMs: number
  readonly createdAtMs: number
  readonly counted: boolean
  readonly cost: number
  readonly requestId: string
}

/** A place in the order of records: by time, and by id within the same millisecond. */
export interface Position {
  readonly createdAtMs: number
  readonly id: number
}

export interface RecordQuery {
  readonly keyId: number
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly statusCode: number | undefined
  readonly endpoint: string | undefined
  readonly direction: 'older' | 'newer'
  /** Only records beyond it in this direction. */
  readonly beyond: Position | null
  /** Ends a query that has to look through too much. */
  readonly bound: RawBuilder<boolean> | null
  readonly limit: number
}

/** Walks the key's index in the wanted direction, so the first page costs as much as the last. */
export async function findRecords(db: Reader, query: RecordQuery): Promise<StoredRecord[]> {
  const order = query.direction === 'older' ? 'desc' : 'asc'
  const { fromMs, toMs, statusCode, endpoint, beyond, bound } = query
  const all = db.selectFrom('access_usage_records').selectAll()
  let rows = (bound ? all.where(bound) : all)
    .where('api_key_id', '=', query.keyId)
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(query.limit)
  if (fromMs !== undefined) rows = rows.where('created_at', '>=', fromMs)
  if (toMs !== undefined) rows = rows.where('created_at', '<', toMs)
  if (statusCode !== undefined) rows = rows.where('status_code', '=', statusCode)
  if (statusCode !== undefined && statusCode >= 300) rows = rows.where(IS_INDEXED)
  if (endpoint !== undefined) rows = rows.where('endpoint', '=', endpoint)
  if (beyond) {
    const sign = sql.raw(query.direction === 'older' ? '<' : '>')
    const place = sql`(${beyond.createdAtMs}, ${beyond.id})`
    rows = rows.where(sql<boolean>`(created_at, id) ${sign} ${place}`)
  }
  return (await rows.execute()).map(toRecord)
}

/** Must stand in the query as it stands in the migration, or the index is not used. */
const IS_INDEXED = sql<boolean>`status_code >= 300`

/** The time of the record, or of the nearest one stored before it when it is no longer there. */
export async function findPosition(db: Reader, id: number): Promise<Position | undefined> {
  const row = await db
    .selectFrom('access_usage_records')
    .select('created_at')
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { createdAtMs: row.created_at, id }
}

function toRecord(row: Selectable<RecordRow>): StoredRecord {
  return {
    id: row.id,
    keyId: row.api_key_id,
    endpoint: row.endpoint,
    method: row.method,
    statusCode: row.status_code,
    responseMs: row.response_ms,
    createdAtMs: row.created_at,
    counted: row.counted === 1,
    cost: row.cost,
    requestId: row.request_id,
  }
}
