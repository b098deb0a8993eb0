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
