import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { cutPage, type KeysetPaging } from '#paging'
import { badParameter } from './instant.ts'
import { findPosition, findRecords, type Position, type StoredRecord } from './record-store.ts'
import { keyIdsOf, type Scope } from './scope.ts'
import type { UsageTables } from './tables.ts'

export interface RecordFilter {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly statusCode: number | undefined
  readonly endpoint: string | undefined
}

interface Walk {
  readonly filter: RecordFilter
  readonly direction: 'older' | 'newer'
  readonly beyond: Position | null
  readonly pageSize: number
}

const EXPORT_PAGE = 500
/** The newest of so many keys can still be found by looking at each. */
const MAX_KEYS = 1_000

/** Single usage records, newest first. */
export function createRecords({ db }: { db: Pick<Database, 'aux' | 'dialect'> }) {
  return { pageOf, allOf }

  async function pageOf(scope: Scope, filter: RecordFilter, paging: KeysetPaging) {
    const { afterId, beforeId, limit } = paging
    const direction = beforeId === null ? 'older' : 'newer'
    const beyond = await positionOf(afterId ?? beforeId)
    if (!beyond) return { rows: [], hasMore: false }
    const walk = { filter, direction, ...beyond, pageSize: limit + 1 } as const
    const found: StoredRecord[] = []
    for await (const record of merged(scope, walk)) {
      if (found.push(record) > limit) break
    }
    return cutPage(found, limit, direction === 'newer')
  }

  /** All of them, read page by page while they are taken. */
  async function* allOf(scope: Scope, filter: RecordFilter, afterId: number | null) {
    const beyond = await positionOf(afterId)
    if (!beyond) return
    yield* merged(scope, { filter, direction: 'older', ...beyond, pageSize: EXPORT_PAGE })
  }

  /** Undefined when everything from there on is deleted. */
  async function positionOf(id: number | null): Promise<{ beyond: Position | null } | undefined> {
    if (id === null) return { beyond: null }
    const reader: Kysely<UsageTables> = db.aux.reader
    const beyond = await findPosition(reader, id)
    return beyond && { beyond }
  }

  async function* merged(scope: Scope, walk: Walk): AsyncGenerator<StoredRecord> {
    const keyIds = keyIdsOf(scope)
    if (keyIds.length > MAX_KEYS) throw badParameter('key_id', 'is needed: there are too many keys')
    const walks = keyIds.map((keyId) => walkKey(keyId, walk))
    const heads = await Promise.all(walks.map((each) => each.next()))
    for (;;) {
      const next = firstOf(heads, walk.direction)
      const head = heads[next]
      if (!head || head.done) return
      yield head.value
      const following = await walks[next]?.next()
      if (following) heads[next] = following
    }
  }

  async function* walkKey(keyId: number, walk: Walk): AsyncGenerator<StoredRecord, undefined> {
    const { filter, direction, pageSize } = walk
    // A rare status may be found only at the end of everything there is.
    const isScan = filter.statusCode !== undefined || filter.endpoint !== undefined
    const reader: Kysely<UsageTables> = isScan ? db.aux.scanner : db.aux.reader
    const bound = isScan ? db.dialect.withinDeadline('access_usage_records.id') : null
    let { beyond } = walk
    for (;;) {
      const query = { ...filter, keyId, direction, beyond, bound, limit: pageSize }
      const rows = await findRecords(reader, query)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) return
      beyond = { createdAtMs: last.createdAtMs, id: last.id }
    }
  }
}

export type Records = ReturnType<typeof createRecords>

/** The place of the head that comes first in the order of the list; -1 when all are at their end. */
function firstOf(
  heads: readonly IteratorResult<StoredRecord, undefined>[],
  direction: 'older' | 'newer',
): number {
  let first = -1
  let best: StoredRecord | undefined
  heads.forEach((head, at) => {
    if (head.done || (best && !comesBefore(head.value, best, direction))) return
    first = at
    best = head.value
  })
  return first
}

function comesBefore(a: StoredRecord, b: StoredRecord, direction: 'older' | 'newer'): boolean {
  const isNewer = a.createdAtMs === b.createdAtMs ? a.id > b.id : a.createdAtMs > b.createdAtMs
  return direction === 'older' ? isNewer : !isNewer
}
