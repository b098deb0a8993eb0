import type { Expression, Kysely, Selectable, Transaction } from 'kysely'
import type { WriteStep } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Codec } from '../codec.ts'
import type { Definition } from '../definition/definition.ts'
import type { Scraper, ScraperStatus } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>

export const SCRAPER_SORTS = ['id', 'name', 'created_at', 'next_run_at'] as const
export type ScraperSort = (typeof SCRAPER_SORTS)[number]

export interface ScraperFilter {
  /** Null: of everybody. */
  readonly userId: number | null
  readonly status: string | undefined
  readonly name: string | undefined
  readonly createdFromMs: number | undefined
}

export function createScraperStore(codec: Codec) {
  return {
    ...{ insert, find, lock, findMany, update, statusStep, setNextRun, due, findDue, remove },
    toScraper,
  }

  async function insert(
    db: Trx,
    scraper: Pick<Scraper, 'userId' | 'consumerId' | 'definition' | 'nextRunAtMs' | 'createdAtMs'>,
  ): Promise<Scraper> {
    const { userId, consumerId, definition, nextRunAtMs, createdAtMs } = scraper
    const row = await db
      .insertInto('scrapers_scrapers')
      .values({
        ...definitionColumns(definition),
        user_id: userId,
        consumer_id: consumerId,
        status: 'idle',
        next_run_at: nextRunAtMs,
        created_at: createdAtMs,
        updated_at: createdAtMs,
        removed_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toScraper(row)
  }

  async function find(db: Db, id: number): Promise<Scraper | undefined> {
    const row = await present(db).selectAll().where('id', '=', id).executeTakeFirst()
    return row && toScraper(row)
  }

  /** As it is until the end of the transaction: the statement locks the row. */
  async function lock(db: Trx, id: number): Promise<Scraper | undefined> {
    const row = await db
      .updateTable('scrapers_scrapers')
      .set((scraper) => ({ name: scraper.ref('name') }))
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    return row && toScraper(row)
  }

  async function findMany(
    db: Db,
    { userId, status, name, createdFromMs }: ScraperFilter,
    list: ListQuery<ScraperSort>,
  ): Promise<FoundPage<Scraper>> {
    const filtered = present(db)
      .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? 0))
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
      .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
      .$if(createdFromMs !== undefined, (query) =>
        query.where('created_at', '>=', createdFromMs ?? 0),
      )
    const columns = { id: 'id', name: 'name', created_at: 'created_at', next_run_at: 'next_run_at' }
    const page = await findPage(filtered, (query) => query.selectAll(), list, columns)
    return { ...page, rows: page.rows.map(toScraper) }
  }

  async function update(
    db: Trx,
    id: number,
    change: Pick<Scraper, 'definition' | 'nextRunAtMs' | 'updatedAtMs'>,
  ): Promise<Scraper | undefined> {
    const row = await db
      .updateTable('scrapers_scrapers')
      .set({
        ...definitionColumns(change.definition),
        next_run_at: change.nextRunAtMs,
        updated_at: change.updatedAtMs,
      })
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    return row && toScraper(row)
  }

  function definitionColumns(definition: Definition) {
    return {
      name: definition.name,
      definition: codec.write(definition),
      rate_limit: definition.rateLimit,
      proxy_pool: definition.proxyPool,
    }
  }

  function statusStep(db: Db, id: number, status: ScraperStatus): WriteStep {
    return { query: db.updateTable('scrapers_scrapers').set({ status }).where('id', '=', id) }
  }

  /** False when somebody else moved the tick since it was read. */
  async function setNextRun(
    db: Trx,
    id: number,
    fromMs: number,
    toMs: number | null,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('scrapers_scrapers')
      .set({ next_run_at: toMs })
      .where('id', '=', id)
      .where('next_run_at', '=', fromMs)
      .where('removed_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Those whose tick has come. */
  function due(db: Db, nowMs: number | Expression<number>) {
    return present(db).where('next_run_at', '<=', nowMs)
  }

  /** Earliest first. */
  async function findDue(db: Db, nowMs: number, limit: number): Promise<Scraper[]> {
    const rows = await due(db, nowMs).selectAll().orderBy('next_run_at').limit(limit).execute()
    return rows.map(toScraper)
  }

  async function remove(db: Trx, id: number, nowMs: number): Promise<void> {
    await db
      .updateTable('scrapers_scrapers')
      .set({ removed_at: nowMs, next_run_at: null })
      .where('id', '=', id)
      .execute()
  }

  function present(db: Db) {
    return db.selectFrom('scrapers_scrapers').where('removed_at', 'is', null)
  }

  function toScraper(row: Selectable<ScrapersTables['scrapers_scrapers']>): Scraper {
    return {
      id: row.id,
      userId: row.user_id,
      consumerId: row.consumer_id,
      definition: codec.read(row.definition),
      status: toStatus(row.status),
      nextRunAtMs: row.next_run_at,
      createdAtMs: row.created_at,
      updatedAtMs: row.updated_at,
    }
  }
}

export type ScraperStore = ReturnType<typeof createScraperStore>

const STATUSES = ['idle', 'running', 'completed', 'failed', 'stopped'] as const

function toStatus(text: string): ScraperStatus {
  return STATUSES.find((status) => status === text) ?? 'idle'
}
