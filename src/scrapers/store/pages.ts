import type { Kysely, Transaction } from 'kysely'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>

type PageKind = 'page' | 'sitemap'

/** A URL of a run that is still to be fetched. */
export interface QueuedPage {
  readonly id: number
  readonly url: string
  readonly urlHash: string
  readonly depth: number
  readonly isStart: boolean
  readonly kind: PageKind
  readonly attempts: number
  readonly dueAtMs: number | null
}

export interface NewPage {
  readonly url: string
  readonly urlHash: string
  readonly depth: number
  readonly isStart?: boolean
  readonly kind?: PageKind
  readonly parentHash?: string | null
}

type PageState = 'queued' | 'done' | 'failed' | 'skipped'

export interface PageEnd {
  readonly id: number
  readonly state: Exclude<PageState, 'queued'>
  readonly outcome: string | null
  readonly attempts: number
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface RedirectTarget extends NewPage {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** SQLite's limit on values of a statement, and a short time for the writer. */
const ROWS_PER_INSERT = 200

/** The URLs that were not known yet are queued in their order; answers how many. */
export async function addPages(db: Trx, runId: number, pages: readonly NewPage[]): Promise<number> {
  let added = 0
  for (let at = 0; at < pages.length; at += ROWS_PER_INSERT) {
    const rows = pages.slice(at, at + ROWS_PER_INSERT).map((page) => toRow(runId, page))
    const inserted = await db
      .insertInto('scrapers_pages')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['run_id', 'url_hash']).doNothing())
      .returning('id')
      .execute()
    added += inserted.length
  }
  return added
}

function toRow(runId: number, { url, urlHash, depth, isStart, kind, parentHash }: NewPage) {
  return {
    run_id: runId,
    url_hash: urlHash,
    url,
    depth,
    is_start: isStart ? 1 : 0,
    kind: kind ?? 'page',
    state: 'queued',
    attempts: 0,
    due_at: null,
    outcome: null,
    parent_hash: parentHash ?? null,
    etag: null,
    last_modified: null,
  }
}

/** In the order in which they were found. */
export async function findQueued(
  db: Db,
  runId: number,
  afterId: number,
  limit: number,
): Promise<QueuedPage[]> {
  const rows = await db
    .selectFrom('scrapers_pages')
    .select(['id', 'url', 'url_hash', 'depth', 'is_start', 'kind', 'attempts', 'due_at'])
    .where('run_id', '=', runId)
    .where('state', '=', 'queued')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    urlHash: row.url_hash,
    depth: row.depth,
    isStart: row.is_start === 1,
    kind: row.kind === 'sitemap' ? 'sitemap' : 'page',
    attempts: row.attempts,
    dueAtMs: row.due_at,
  }))
}

export async function findState(
  db: Db,
  runId: number,
  urlHash: string,
): Promise<{ readonly id: number; readonly state: string } | undefined> {
  return db
    .selectFrom('scrapers_pages')
    .select(['id', 'state'])
    .where('run_id', '=', runId)
    .where('url_hash', '=', urlHash)
    .executeTakeFirst()
}

export async function endPage(db: Trx, page: PageEnd): Promise<void> {
  await db
    .updateTable('scrapers_pages')
    .set({
      state: page.state,
      outcome: page.outcome,
      attempts: page.attempts,
      due_at: null,
      etag: page.etag,
      last_modified: page.lastModified,
    })
    .where('id', '=', page.id)
    .execute()
}

/** The target of a redirect counts as fetched too; answers 1 when it was waiting for that. */
export async function endTarget(db: Trx, runId: number, target: RedirectTarget): Promise<number> {
  const { etag, lastModified } = target
  const done = { state: 'done', etag, last_modified: lastModified }
  const { numUpdatedRows } = await db
    .updateTable('scrapers_pages')
    .set(done)
    .where('run_id', '=', runId)
    .where('url_hash', '=', target.urlHash)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return 1
  await db
    .insertInto('scrapers_pages')
    .values({ ...toRow(runId, target), ...done })
    .onConflict((conflict) => conflict.columns(['run_id', 'url_hash']).doNothing())
    .execute()
  return 0
}

export async function putOff(
  db: Trx,
  id: number,
  { attempts, dueAtMs }: { readonly attempts: number; readonly dueAtMs: number },
): Promise<void> {
  await db
    .updateTable('scrapers_pages')
    .set({ attempts, due_at: dueAtMs })
    .where('id', '=', id)
    .execute()
}

/** Why the start URLs yielded nothing, in their order. */
export async function findStartOutcomes(db: Db, runId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('scrapers_pages')
    .select('outcome')
    .where('run_id', '=', runId)
    .where('is_start', '=', 1)
    .orderBy('id')
    .limit(1_000)
    .execute()
  return rows.flatMap(({ outcome }) => outcome ?? [])
}

/** The pages that an earlier run found on this one. */
export async function findChildren(db: Db, runId: number, urlHash: string): Promise<NewPage[]> {
  const rows = await db
    .selectFrom('scrapers_pages')
    .select(['url', 'url_hash', 'depth', 'kind'])
    .where('run_id', '=', runId)
    .where('parent_hash', '=', urlHash)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    url: row.url,
    urlHash: row.url_hash,
    depth: row.depth,
    kind: row.kind === 'sitemap' ? 'sitemap' : 'page',
    parentHash: urlHash,
  }))
}

/** Done without anything to remember of them. */
export async function endPages(db: Trx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('scrapers_pages')
    .set({ state: 'done', due_at: null })
    .where('id', 'in', ids)
    .execute()
}

export async function findStartUrls(db: Db, runId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('scrapers_pages')
    .select('url')
    .where('run_id', '=', runId)
    .where('is_start', '=', 1)
    .execute()
  return rows.map(({ url }) => url)
}

/** Whether a page of the run was answered with something that could be read. */
export async function hasDonePage(db: Db, runId: number): Promise<boolean> {
  const found = await db
    .selectFrom('scrapers_pages')
    .select('id')
    .where('run_id', '=', runId)
    .where('kind', '=', 'page')
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** What the page answered in an earlier run, for conditional requests. */
export async function findValidators(
  db: Db,
  runId: number,
  urlHash: string,
): Promise<{ readonly etag: string | null; readonly lastModified: string | null } | undefined> {
  const row = await db
    .selectFrom('scrapers_pages')
    .select(['etag', 'last_modified'])
    .where('run_id', '=', runId)
    .where('url_hash', '=', urlHash)
    .executeTakeFirst()
  return row && { etag: row.etag, lastModified: row.last_modified }
}
