import type { Kysely, Selectable, Transaction } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { SecretBox } from '#secrets'
import type { PoolStrategy, ProxyPool } from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>

export const PROXIES = 'scrapers.proxies'

/** Proxy pools; their addresses are sealed, since they carry passwords. */
export function createPoolStore(box: Pick<SecretBox, 'seal' | 'open'>) {
  return { insert, find, lock, findMany, update, remove, isUsed }

  async function insert(db: Trx, pool: Omit<ProxyPool, 'id'>): Promise<ProxyPool> {
    const row = await db
      .insertInto('scrapers_pools')
      .values({
        name: pool.name,
        strategy: pool.strategy,
        proxies: seal(pool.proxies),
        created_at: pool.createdAtMs,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toPool(row)
  }

  async function find(db: Db, name: string): Promise<ProxyPool | undefined> {
    const row = await db
      .selectFrom('scrapers_pools')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    return row && toPool(row)
  }

  /** As it is until the end of the transaction: the statement locks the row. */
  async function lock(db: Trx, name: string): Promise<ProxyPool | undefined> {
    const row = await db
      .updateTable('scrapers_pools')
      .set((pool) => ({ name: pool.ref('name') }))
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst()
    return row && toPool(row)
  }

  async function findMany(db: Db, list: ListQuery<'id' | 'name'>): Promise<FoundPage<ProxyPool>> {
    const columns = { id: 'id', name: 'name' }
    const page = await findPage(
      db.selectFrom('scrapers_pools'),
      (query) => query.selectAll(),
      list,
      columns,
    )
    return { ...page, rows: page.rows.map(toPool) }
  }

  async function update(
    db: Trx,
    name: string,
    { strategy, proxies }: Pick<ProxyPool, 'strategy' | 'proxies'>,
  ): Promise<ProxyPool | undefined> {
    const row = await db
      .updateTable('scrapers_pools')
      .set({ strategy, proxies: seal(proxies) })
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst()
    return row && toPool(row)
  }

  async function remove(db: Trx, name: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('scrapers_pools')
      .where('name', '=', name)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  async function isUsed(db: Db, name: string): Promise<boolean> {
    const found = await db
      .selectFrom('scrapers_scrapers')
      .select('id')
      .where('proxy_pool', '=', name)
      .where('removed_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  }

  function seal(proxies: readonly string[]): string {
    return box.seal(JSON.stringify(proxies), PROXIES)
  }

  function toPool(row: Selectable<ScrapersTables['scrapers_pools']>): ProxyPool {
    const proxies: unknown = JSON.parse(box.open(row.proxies, PROXIES))
    return {
      id: row.id,
      name: row.name,
      strategy: toStrategy(row.strategy),
      proxies: Array.isArray(proxies) ? proxies.map(String) : [],
      createdAtMs: row.created_at,
    }
  }
}

export type PoolStore = ReturnType<typeof createPoolStore>

const STRATEGIES: readonly PoolStrategy[] = ['round_robin', 'random', 'sticky_host']

function toStrategy(text: string): PoolStrategy {
  return STRATEGIES.find((strategy) => strategy === text) ?? 'round_robin'
}
