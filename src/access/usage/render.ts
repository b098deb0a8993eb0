import { type CsvValue, csvLine } from '#kernel'
import { toIso } from './periods.ts'
import type { StoredRecord } from './record-store.ts'
import type { UsageRecordBody } from './schemas.ts'

/** Doc 2 §2.3 and what access contract §2.4 adds to it. */
export function renderRecord(record: StoredRecord): UsageRecordBody {
  return {
    id: record.id,
    api_key_id: record.keyId,
    endpoint: record.endpoint,
    method: record.method,
    status_code: record.statusCode,
    response_ms: record.responseMs,
    created_at: toIso(record.createdAtMs),
    counted: record.counted,
    cost: record.cost,
    request_id: record.requestId,
  }
}

const COLUMNS = [
  'id',
  'api_key_id',
  'endpoint',
  'method',
  'status_code',
  'response_ms',
  'created_at',
  'counted',
  'cost',
  'request_id',
] as const

/** Fewer and larger pieces: each costs a turn of the event loop. */
const PIECE_CHARACTERS = 32_768

export interface ExportFormat {
  readonly type: string
  readonly fileName: string
  render(records: AsyncIterable<StoredRecord>): AsyncIterable<string>
}

export const ndjson: ExportFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  fileName: 'usage-records.ndjson',
  render: (records) =>
    inPieces('', records, (record) => `${JSON.stringify(renderRecord(record))}\n`),
}

export function csv(safe: boolean): ExportFormat {
  return {
    type: 'text/csv; charset=utf-8; header=present',
    fileName: 'usage-records.csv',
    render: (records) =>
      inPieces(csvLine(COLUMNS, safe), records, (record) => {
        const body: Record<(typeof COLUMNS)[number], CsvValue> = renderRecord(record)
        return csvLine(
          COLUMNS.map((name) => body[name]),
          safe,
        )
      }),
  }
}

async function* inPieces(
  head: string,
  records: AsyncIterable<StoredRecord>,
  line: (record: StoredRecord) => string,
): AsyncGenerator<string> {
  let piece = head
  for await (const record of records) {
    piece += line(record)
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
