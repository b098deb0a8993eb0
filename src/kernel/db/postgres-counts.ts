import { sql } from 'kysely'
import type { TableCounts } from './dialect.ts'

/** Below that any plan is fast. */
const FEWEST_ROWS = 500

/**
 * Autovacuum counts a table a minute after it was filled, and until then it is planned as a small one: a list of 20,000
 * links compares each with each. What has doubled is counted at once; smaller changes are left to autovacuum.
 */
export const postgresCounts: TableCounts = {
  grown: sql<{ table: string }>`
    select c.relname as "table" from pg_class as c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and pg_stat_get_live_tuples(c.oid) > ${sql.lit(FEWEST_ROWS)}
      and (pg_stat_get_live_tuples(c.oid) > 2 * c.reltuples
        or (pg_stat_get_last_analyze_time(c.oid) is null and pg_stat_get_last_autoanalyze_time(c.oid) is null))`,
  // What a change of a type holds is counted the next time.
  count: (table) => sql`analyze (skip_locked) ${sql.table(table)}`,
}
