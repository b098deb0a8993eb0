import { type Kysely, type Selectable, sql } from 'kysely'
import type { WriteStep } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Change, Item, PublishedEntry } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type ItemRow = Selectable<ScrapersTables['scrapers_items']>

export interface NewItem extends Omit<Item, 'id'> {
  readonly pageHash: string
  readonly keyHash: string
}

export interface ItemFilter {
  readonly scraperId: number
  /** Null: of all runs. */
  readonly runId: number | null
  readonly change: string | undefined
  readonly urlPrefix: string | undefined
}

const ROWS_PER_INSERT = 100

/** In their order; their ids rise with it. */
export function itemSteps(db: Db, items: readonly NewItem[]): WriteStep[] {
  const steps: WriteStep[] = []
  for (let at = 0; at < items.length; at += ROWS_PER_INSERT) {
    const rows = items.slice(at, at + ROWS_PER_INSERT).map(toRow)
    steps.push({ query: db.insertInto('scrapers_items').values(rows) })
  }
  return steps
}

function toRow(item: NewItem) {
  return {
    scraper_id: item.scraperId,
    run_id: item.runId,
    page_hash: item.pageHash,
    key_hash: item.keyHash,
    url: item.url,
    status_code: item.statusCode,
    content_type: item.contentType,
    depth: item.depth,
    fetched_at: item.fetchedAtMs,
    change_kind: item.change,
    content_hash: item.contentHash,
    data: item.data,
    entry: item.entry && JSON.stringify(item.entry),
  }
}

/** What items with these keys were in an earlier run; several may have had the same. */
export async function findHashes(
  db: Db,
  runId: number,
  keyHashes: readonly string[],
): Promise<Map<string, Set<string>>> {
  if (keyHashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('scrapers_items')
    .select(['key_hash', 'content_hash'])
    .where('run_id', '=', runId)
    .where('key_hash', 'in', keyHashes)
    .execute()
  const found = Map.groupBy(rows, (row) => row.key_hash)
  return new Map([...found].map(([key, own]) => [key, new Set(own.map((row) => row.content_hash))]))
}

/** The items a page had in an earlier run, for one that has not changed since. */
export async function findOfPage(db: Db, runId: number, pageHash: string): Promise<NewItem[]> {
  const rows = await db
    .selectFrom('scrapers_items')
    .selectAll()
    .where('run_id', '=', runId)
    .where('page_hash', '=', pageHash)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...toItem(row), pageHash: row.page_hash, keyHash: row.key_hash }))
}

/** Keys of an earlier run that this one did not see. */
export async function countMissing(db: Db, runId: number, previousId: number): Promise<number> {
  const row = await db
    .selectFrom('scrapers_items as before')
    .select(sql<number>`count(distinct before.key_hash)`.as('missing'))
    .where('before.run_id', '=', previousId)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('scrapers_items as now')
            .select('now.id')
            .where('now.run_id', '=', runId)
            .whereRef('now.key_hash', '=', 'before.key_hash'),
        ),
      ),
    )
    .executeTakeFirst()
  return Number(row?.missing ?? 0)
}

export async function findItems(
  db: Db,
  filter: ItemFilter,
  list: ListQuery<'id'>,
): Promise<FoundPage<Item>> {
  const page = await findPage(filtered(db, filter), (query) => query.selectAll(), list, {
    id: 'id',
  })
  return { ...page, rows: page.rows.map(toItem) }
}

/** A stretch of all items, for answers without pages. */
export async function findItemsAfter(
  db: Db,
  filter: ItemFilter,
  from: { readonly afterId: number | null; readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<Item[]> {
  const { afterId, order, limit } = from
  const rows = await filtered(db, filter)
    .selectAll()
    .$if(afterId !== null, (query) => query.where('id', order === 'asc' ? '>' : '<', afterId ?? 0))
    .orderBy('id', order)
    .limit(limit)
    .execute()
  return rows.map(toItem)
}

function filtered(db: Db, { scraperId, runId, change, urlPrefix }: ItemFilter) {
  const base = db.selectFrom('scrapers_items')
  const own =
    runId === null
      ? // Those of a run that was deleted are removed later.
        base
          .where('scraper_id', '=', scraperId)
          .where('run_id', 'not in', (select) =>
            select
              .selectFrom('scrapers_runs')
              .select('id')
              .where('scraper_id', '=', scraperId)
              .where('removed_at', 'is not', null),
          )
      : base.where('run_id', '=', runId)
  return own
    .$if(change !== undefined, (query) => query.where('change_kind', '=', change ?? ''))
    .$if(urlPrefix !== undefined, (query) =>
      query.where(sql<boolean>`substr(url, 1, ${[...(urlPrefix ?? '')].length}) = ${urlPrefix}`),
    )
}

function toItem(row: ItemRow): Item {
  return {
    id: row.id,
    runId: row.run_id,
    scraperId: row.scraper_id,
    url: row.url,
    statusCode: row.status_code,
    contentType: row.content_type,
    depth: row.depth,
    fetchedAtMs: row.fetched_at,
    change: toChange(row.change_kind),
    contentHash: row.content_hash,
    entry: row.entry === null ? null : toEntry(row.entry),
    data: row.data,
  }
}

function toChange(text: string): Change {
  return text === 'changed' || text === 'unchanged' ? text : 'new'
}

function toEntry(text: string): PublishedEntry {
  const { type, documentId, id }: PublishedEntry = JSON.parse(text)
  return { type, documentId, id }
}
