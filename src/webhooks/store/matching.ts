import { type Kysely, type RawBuilder, sql } from 'kysely'
import { patternsFor } from '../event-patterns.ts'
import { type Filter, passes } from '../filter.ts'
import type { WebhooksTables } from '../tables.ts'
import { toFilter } from './subscriptions.ts'

type Db = Kysely<WebhooksTables>

/** A subscription that events of a type are handed to. */
export interface Match {
  readonly subscriptionId: string
  /** What it asks for beside names; null for most. */
  readonly options: Options | null
}

interface Options {
  readonly consumerId: string
  readonly filter: Filter | null
  readonly includeEntry: boolean
}

interface Asked {
  readonly type: string
  /** Null: all. */
  readonly consumers: readonly string[] | null
  readonly after: string | null
  readonly limit: number
}

/**
 * The subscriptions whose names or patterns match, in the order of ids. Each of the few texts that
 * can match a name is walked by its own index, so that it does not matter how many others there are.
 */
export async function findMatching(db: Db, asked: Asked): Promise<readonly Match[]> {
  const { type, limit } = asked
  const walks = [type, ...patternsFor(type)].map((event) => walk(event, asked))
  const { rows } = await sql<{ id: string; options: number }>`
    select subscription_id as id, max(has_options) as options
    from (${sql.join(walks, sql` union all `)}) as matching
    group by subscription_id order by subscription_id limit ${limit}`.execute(db)
  const withOptions = rows.flatMap(({ id, options }) => (options === 1 ? [id] : []))
  const options = await findOptions(db, withOptions)
  return rows.map(({ id }) => ({ subscriptionId: id, options: options.get(id) ?? null }))
}

/** Without subscriptions events need not be read, of which an import makes two for each entry. */
export async function isAnybodySubscribed(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks_subscription_events')
    .select('subscription_id')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** In a list of its own, because SQLite limits no part of a union otherwise. */
function walk(event: string, { consumers, after, limit }: Asked): RawBuilder<unknown> {
  const isTheirs = consumers === null ? sql`` : sql` and consumer_id in (${sql.join(consumers)})`
  const isBeyond = after === null ? sql`` : sql` and subscription_id > ${after}`
  return sql`select * from (
    select subscription_id, has_options from webhooks_subscription_events
    where event = ${event} and is_matched = 1${isTheirs}${isBeyond}
    order by subscription_id limit ${limit}
  ) as walked`
}

async function findOptions(db: Db, ids: readonly string[]): Promise<Map<string, Options>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhooks_subscriptions')
    .select(['id', 'consumer_id', 'filter', 'include_entry'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => [
      row.id,
      {
        consumerId: row.consumer_id,
        filter: toFilter(row.filter),
        includeEntry: row.include_entry === 1,
      },
    ]),
  )
}

/** Whether the data of an event is what the subscription asks for. */
export function isWanted(options: Pick<Options, 'filter'> | null, data: unknown): boolean {
  return !options?.filter || passes(options.filter, data)
}
