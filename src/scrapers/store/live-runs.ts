import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { ScrapersTables } from '../tables.ts'

/** Whether a run waits for a worker, or is one that a worker must go on with. */
export async function hasLiveRuns({ main }: Pick<Database, 'main'>): Promise<boolean> {
  const reader: Kysely<ScrapersTables> = main.reader
  const found = await reader
    .selectFrom('scrapers_runs')
    .select('id')
    .where('status', 'in', ['pending', 'running'])
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Runs that wait or go on, the latest first, and how many there are. */
export async function listLiveRuns({ main }: Pick<Database, 'main'>, limit: number) {
  const reader: Kysely<ScrapersTables> = main.reader
  const live = reader
    .selectFrom('scrapers_runs')
    .where('scrapers_runs.status', 'in', ['pending', 'running'])
    .where('scrapers_runs.removed_at', 'is', null)
  const rows = await live
    .innerJoin('scrapers_scrapers', 'scrapers_scrapers.id', 'scrapers_runs.scraper_id')
    .select([
      'scrapers_runs.id',
      'scraper_id',
      'name',
      'scrapers_runs.status',
      'started_at',
      'items_collected',
      'pages_fetched',
    ])
    .orderBy('scrapers_runs.id', 'desc')
    .limit(limit)
    .execute()
  const { found } = await live
    .select((row) => row.fn.countAll<number | string>().as('found'))
    .executeTakeFirstOrThrow()
  const some = rows.map((row) => ({
    id: row.id,
    scraperId: row.scraper_id,
    scraper: row.name,
    status: row.status,
    startedAtMs: row.started_at,
    itemsCollected: row.items_collected,
    pagesFetched: row.pages_fetched,
  }))
  return { total: Number(found), some }
}
