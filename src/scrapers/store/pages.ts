import type { Insertable, Kysely } from 'kysely'
import type { WriteStep } from '#db'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>

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
}

export type PageState = 'queued' | 'done' | 'failed' | 'skipped'

/** How a page can have ended, beside the codes of failures: read in part, and not there any more. */
export const PARTIAL = 'partial'
export const GONE = 'gone'

export interface PageEnd {
  readonly id: number
  readonly state: Exclude<PageState, 'queued'>
  readonly outcome: string | null
  readonly attempts: number
  readonly kept: KeptPage | null
}

/** What a later run needs of a page that has not changed by then. */
export interface KeptPage {
  readonly etag: string | null
  readonly lastModified: string | null
  /** Hashes of the URLs it leads to, whoever found them first. */
  readonly links: readonly string[]
}

/** SQLite's limit on values of a statement, and a short time for the writer. */
const ROWS_PER_INSERT = 200
const HASHES_AT_ONCE = 500

/** Queues URLs in their order; those that are known change nothing. */
export function queueSteps(db: Db, runId: number, pages: readonly NewPage[]): WriteStep[] {
  const steps: WriteStep[] = []
  for (let at = 0; at < pages.length; at += ROWS_PER_INSERT) {
    const rows = pages.slice(at, at + ROWS_PER_INSERT).map((page) => toRow(runId, page))
    steps.push({ query: insertNew(db, rows) })
  }
  return steps
}

function insertNew(db: Db, rows: readonly Insertable<ScrapersTables['scrapers_pages']>[]) {
  return db
    .insertInto('scrapers_pages')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['run_id', 'url_hash']).doNothing())
}

function toRow(runId: number, { url, urlHash, depth, isStart, kind }: NewPage) {
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
    ...keptColumns(null),
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

/** What is known of pages; those that are not known are left out. */
export async function findStates(
  db: Db,
  runId: number,
  urlHashes: readonly string[],
): Promise<Map<string, PageState>> {
  const found = new Map<string, PageState>()
  for (let at = 0; at < urlHashes.length; at += HASHES_AT_ONCE) {
    const rows = await db
      .selectFrom('scrapers_pages')
      .select(['url_hash', 'state'])
      .where('run_id', '=', runId)
      .where('url_hash', 'in', urlHashes.slice(at, at + HASHES_AT_ONCE))
      .execute()
    for (const row of rows) found.set(row.url_hash, toState(row.state))
  }
  return found
}

function toState(text: string): PageState {
  return text === 'done' || text === 'failed' || text === 'skipped' ? text : 'queued'
}

export function endStep(db: Db, page: PageEnd): WriteStep {
  const { state, outcome, attempts, kept } = page
  const end = { state, outcome, attempts, due_at: null, ...keptColumns(kept) }
  return { query: db.updateTable('scrapers_pages').set(end).where('id', '=', page.id) }
}

/** The target of a redirect, which waited in the queue, counts as fetched. */
export function reachedStep(db: Db, runId: number, target: NewPage): WriteStep {
  const query = db
    .updateTable('scrapers_pages')
    .set({ state: 'done' })
    .where('run_id', '=', runId)
    .where('url_hash', '=', target.urlHash)
    .where('state', '=', 'queued')
  return { query }
}

/** The same for one that was not known. */
export function addedStep(db: Db, runId: number, target: NewPage): WriteStep {
  return { query: insertNew(db, [{ ...toRow(runId, target), state: 'done' }]) }
}

export function putOffStep(
  db: Db,
  id: number,
  { attempts, dueAtMs }: { readonly attempts: number; readonly dueAtMs: number },
): WriteStep {
  const later = { attempts, due_at: dueAtMs }
  return { query: db.updateTable('scrapers_pages').set(later).where('id', '=', id) }
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

/** What an earlier run kept of a page; unless it found the page farther from a start URL, and so may have followed less. */
export async function findKept(
  db: Db,
  runId: number,
  { urlHash, depth }: Pick<NewPage, 'urlHash' | 'depth'>,
): Promise<KeptPage | undefined> {
  const row = await db
    .selectFrom('scrapers_pages')
    .select(['etag', 'last_modified', 'links'])
    .where('run_id', '=', runId)
    .where('url_hash', '=', urlHash)
    .where('depth', '<=', depth)
    .executeTakeFirst()
  if (row?.links == null) return undefined
  const links = row.links.split(' ').filter((hash) => hash !== '')
  return { etag: row.etag, lastModified: row.last_modified, links }
}

/** The URLs of these hashes, in their order. */
export async function findUrls(
  db: Db,
  runId: number,
  urlHashes: readonly string[],
): Promise<Pick<NewPage, 'url' | 'urlHash'>[]> {
  const found = new Map<string, string>()
  for (let at = 0; at < urlHashes.length; at += HASHES_AT_ONCE) {
    const rows = await db
      .selectFrom('scrapers_pages')
      .select(['url', 'url_hash'])
      .where('run_id', '=', runId)
      .where('url_hash', 'in', urlHashes.slice(at, at + HASHES_AT_ONCE))
      .execute()
    for (const row of rows) found.set(row.url_hash, row.url)
  }
  return urlHashes.flatMap((urlHash) => {
    const url = found.get(urlHash)
    return url === undefined ? [] : { url, urlHash }
  })
}

function keptColumns(kept: KeptPage | null) {
  return {
    etag: kept?.etag ?? null,
    last_modified: kept?.lastModified ?? null,
    links: kept?.links.join(' ') ?? null,
  }
}

/** Done without anything to remember of them. */
export function endAllSteps(db: Db, ids: readonly number[]): WriteStep[] {
  if (ids.length === 0) return []
  const done = { state: 'done', due_at: null }
  return [{ query: db.updateTable('scrapers_pages').set(done).where('id', 'in', ids) }]
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

/** Refusals that come with the site or the definition; they cost something only where there was something. */
const LOST_BY_SKIPPING = ['robots', 'out_of_scope', 'content_type']

/**
 * A page of the run that may hold, or lead to, what the run did not find: one that failed, that could be read in part
 * only, or that an earlier run of the scraper still could read.
 */
export async function findUnread(
  db: Db,
  scraperId: number,
  runId: number,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('scrapers_pages as page')
    .select('page.url')
    .where('page.run_id', '=', runId)
    .where((where) =>
      where.or([
        where.and([
          where('page.state', '=', 'failed'),
          where.or([where('page.is_start', '=', 1), where('page.outcome', '!=', GONE)]),
        ]),
        where.and([where('page.state', '=', 'done'), where('page.outcome', '=', PARTIAL)]),
        where.and([
          where('page.state', '=', 'skipped'),
          where('page.outcome', 'in', LOST_BY_SKIPPING),
          where.exists(
            where
              .selectFrom('scrapers_runs as run')
              .innerJoin('scrapers_pages as before', 'before.run_id', 'run.id')
              .select('before.id')
              .where('run.scraper_id', '=', scraperId)
              .where('run.id', '<', runId)
              .whereRef('before.url_hash', '=', 'page.url_hash')
              .where('before.state', '=', 'done'),
          ),
        ]),
      ]),
    )
    .orderBy('page.id')
    .limit(1)
    .executeTakeFirst()
  return found?.url
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
