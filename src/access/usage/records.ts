import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { cutPage, type KeysetPaging } from '#paging'
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
/** Of all keys together, so many records wait at once for their turn: with many keys each has fewer. */
const MOST_WAITING = 100_000
const LEAST_PAGE = 10
/** So many keys are looked at together. */
const AT_ONCE = 100

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
    const share = Math.max(LEAST_PAGE, Math.floor(MOST_WAITING / keyIds.length))
    const pageSize = Math.min(walk.pageSize, share)
    const heads = await headsOf(keyIds.map((keyId) => walkKey(keyId, { ...walk, pageSize })))
    heads.sort((a, b) => inOrder(b, a, walk.direction))
    for (let next = heads.pop(); next; next = heads.pop()) {
      yield next.record
      const { done, value } = await next.following.next()
      if (done) continue
      const head = { record: value, following: next.following }
      heads.splice(placeOf(head, heads, walk.direction), 0, head)
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

/** The next record of a key, and those behind it. */
interface Head {
  readonly record: StoredRecord
  readonly following: AsyncGenerator<StoredRecord, undefined>
}

/** Of the keys that have records at all. */
async function headsOf(walks: readonly Head['following'][]): Promise<Head[]> {
  const heads: Head[] = []
  for (let at = 0; at < walks.length; at += AT_ONCE) {
    const some = walks.slice(at, at + AT_ONCE)
    const first = await Promise.all(some.map((following) => following.next()))
    for (const [index, { done, value }] of first.entries()) {
      const following = some[index]
      if (!done && following) heads.push({ record: value, following })
    }
  }
  return heads
}

/** Where the head belongs among heads of which the last comes first. */
function placeOf(head: Head, heads: readonly Head[], direction: 'older' | 'newer'): number {
  let low = 0
  let high = heads.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = heads[middle]
    if (other && inOrder(other, head, direction) > 0) low = middle + 1
    else high = middle
  }
  return low
}

function inOrder({ record: a }: Head, { record: b }: Head, direction: 'older' | 'newer'): number {
  const ascending = a.createdAtMs === b.createdAtMs ? a.id - b.id : a.createdAtMs - b.createdAtMs
  return direction === 'newer' ? ascending : -ascending
}
