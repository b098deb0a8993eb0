import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

type Db = Kysely<AnyTables>
type Types = SqlDialect['types']

/** Scrapers, their runs with frontier, results and log, and proxy pools (scrapers contract). */
export async function up(db: Db, { types }: SqlDialect): Promise<void> {
  await createScrapers(db, types)
  await createRuns(db, types)
  await createPages(db, types)
  await createItems(db, types)
  await createLog(db, types)
  await createEntries(db, types)
  await createPools(db, types)
}

async function createScrapers(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_scrapers')
    .addColumn('id', types.serial)
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    // The same user as events name one.
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    // What its owner wrote, as JSON; headers are sealed in it.
    .addColumn('definition', types.text, (column) => column.notNull())
    .addColumn('rate_limit', 'integer', (column) => column.notNull())
    .addColumn('proxy_pool', types.text)
    .addColumn('next_run_at', types.bigint)
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    // What is gone for its owner; the worker removes its rows in small steps.
    .addColumn('removed_at', types.bigint)
    .execute()
  await index(db, 'scrapers_scrapers', 'owned', ['user_id', 'id'])
  await present(db, 'scrapers_scrapers', 'next_run_at')
  await present(db, 'scrapers_scrapers', 'removed_at')
}

async function createRuns(db: Db, types: Types) {
  const counts = [
    'items_collected',
    'pages_fetched',
    'pages_failed',
    'pages_skipped',
    'pages_queued',
    'retries',
    'bytes_downloaded',
    'items_new',
    'items_changed',
    'items_unchanged',
    'items_missing',
    'recoveries',
    // Recoveries in a row without a page between them, and the pages at the last one.
    'idle_recoveries',
    'pages_at_recovery',
    // Time a worker spent on it; a pause between two workers does not count.
    'active_ms',
  ]
  const table = db.schema
    .createTable('scrapers_runs')
    .addColumn('id', types.serial)
    .addColumn('scraper_id', types.bigint, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('trigger_name', types.text, (column) => column.notNull())
    .addColumn('config', types.text, (column) => column.notNull())
    .addColumn('started_at', types.bigint, (column) => column.notNull())
    .addColumn('executing_at', types.bigint)
    .addColumn('finished_at', types.bigint)
    .addColumn('finish_reason', types.text)
    .addColumn('error_code', types.text)
    .addColumn('error_message', types.text)
    .addColumn('stop_requested', 'integer', (column) => column.notNull().defaultTo(0))
    // The run whose items these are compared with.
    .addColumn('previous_id', types.bigint)
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .addColumn('removed_at', types.bigint)
  await counts
    .reduce(
      (all, name) => all.addColumn(name, types.bigint, (column) => column.notNull().defaultTo(0)),
      table,
    )
    .execute()
  await index(db, 'scrapers_runs', 'of_scraper', ['scraper_id', 'id'])
  await present(db, 'scrapers_runs', 'removed_at')
  // One live run for a scraper, whoever starts it and wherever (scrapers contract §3).
  await db.schema
    .createIndex('scrapers_runs_live')
    .on('scrapers_runs')
    .column('scraper_id')
    .unique()
    .where(sql.ref('status'), 'in', [sql.lit('pending'), sql.lit('running')])
    .execute()
}

/** The frontier: every URL a run knows, each once. */
async function createPages(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_pages')
    .addColumn('id', types.serial)
    .addColumn('run_id', types.bigint, (column) => column.notNull())
    .addColumn('url_hash', types.text, (column) => column.notNull())
    .addColumn('url', types.text, (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('is_start', 'integer', (column) => column.notNull())
    // `page` or `sitemap`.
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('state', types.text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', types.bigint)
    // Why it failed or was skipped.
    .addColumn('outcome', types.text)
    // The page it was first found on, where a later run may find that page unchanged.
    .addColumn('parent_hash', types.text)
    .addColumn('etag', types.text)
    .addColumn('last_modified', types.text)
    .execute()
  await db.schema
    .createIndex('scrapers_pages_once')
    .on('scrapers_pages')
    .columns(['run_id', 'url_hash'])
    .unique()
    .execute()
  await db.schema
    .createIndex('scrapers_pages_queued')
    .on('scrapers_pages')
    .columns(['run_id', 'id'])
    .where(sql.ref('state'), '=', sql.lit('queued'))
    .execute()
  await db.schema
    .createIndex('scrapers_pages_children')
    .on('scrapers_pages')
    .columns(['run_id', 'parent_hash'])
    .where(sql.ref('parent_hash'), 'is not', null)
    .execute()
}

async function createItems(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_items')
    .addColumn('id', types.serial)
    .addColumn('scraper_id', types.bigint, (column) => column.notNull())
    .addColumn('run_id', types.bigint, (column) => column.notNull())
    .addColumn('page_hash', types.text, (column) => column.notNull())
    .addColumn('key_hash', types.text, (column) => column.notNull())
    .addColumn('url', types.text, (column) => column.notNull())
    .addColumn('status_code', 'integer', (column) => column.notNull())
    .addColumn('content_type', types.text)
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('fetched_at', types.bigint, (column) => column.notNull())
    .addColumn('change_kind', types.text, (column) => column.notNull())
    .addColumn('content_hash', types.text, (column) => column.notNull())
    .addColumn('data', types.text, (column) => column.notNull())
    .addColumn('entry', types.text)
    .execute()
  await index(db, 'scrapers_items', 'of_run', ['run_id', 'id'])
  await index(db, 'scrapers_items', 'of_scraper', ['scraper_id', 'id'])
  await index(db, 'scrapers_items', 'keys', ['run_id', 'key_hash'])
  await index(db, 'scrapers_items', 'pages', ['run_id', 'page_hash'])
}

/** Numbered beside the pages it tells of, so that a stream goes on exactly where it was. */
async function createLog(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_log')
    .addColumn('id', types.serial)
    .addColumn('run_id', types.bigint, (column) => column.notNull())
    .addColumn('at', types.bigint, (column) => column.notNull())
    .addColumn('level', types.text, (column) => column.notNull())
    // Those of the contract, and `item` for the stream alone.
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('url', types.text)
    .addColumn('status_code', 'integer')
    .addColumn('message', types.text, (column) => column.notNull())
    .addColumn('item', types.text)
    .execute()
  await index(db, 'scrapers_log', 'of_run', ['run_id', 'id'])
  await index(db, 'scrapers_log', 'age', ['at'])
}

/** What a scraper has published, to find what is missing and what people changed since. */
async function createEntries(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_entries')
    .addColumn('scraper_id', types.bigint, (column) => column.notNull())
    .addColumn('key_hash', types.text, (column) => column.notNull())
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('document_id', types.text, (column) => column.notNull())
    .addColumn('entry_id', types.bigint, (column) => column.notNull())
    .addColumn('locale', types.text)
    .addColumn('run_id', types.bigint, (column) => column.notNull())
    // Of the values that were written, and of each attribute as the entry then had it.
    .addColumn('values_hash', types.text, (column) => column.notNull())
    .addColumn('written', types.text, (column) => column.notNull())
    .addColumn('is_gone', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('scrapers_entries_key', ['scraper_id', 'key_hash'])
    .execute()
  await index(db, 'scrapers_entries', 'seen', ['scraper_id', 'run_id'])
}

async function createPools(db: Db, types: Types) {
  await db.schema
    .createTable('scrapers_pools')
    .addColumn('id', types.serial)
    .addColumn('name', types.text, (column) => column.notNull().unique())
    .addColumn('strategy', types.text, (column) => column.notNull())
    // Sealed: proxies carry passwords.
    .addColumn('proxies', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .execute()
}

async function index(db: Db, table: string, name: string, columns: string[]) {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute()
}

async function present(db: Db, table: string, column: string) {
  await db.schema
    .createIndex(`${table}_${column}`)
    .on(table)
    .column(column)
    .where(sql.ref(column), 'is not', null)
    .execute()
}
