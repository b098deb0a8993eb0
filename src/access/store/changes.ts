import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'

type Db = Kysely<AccessTables>

/** What changed; null means so much that everything has to be looked up anew. */
export type Changed = {
  readonly keyIds: ReadonlySet<number>
  readonly userIds: ReadonlySet<number>
  readonly planIds: ReadonlySet<number>
} | null

const TABLES = ['access_keys', 'access_users', 'access_plans'] as const
const MAX_CHANGED = 5_000

export async function newestRevision(db: Db): Promise<number> {
  const newest = await Promise.all(
    TABLES.map((table) =>
      db
        .selectFrom(table)
        .select('revision')
        .orderBy('revision', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ),
  )
  return Math.max(0, ...newest.map((row) => row?.revision ?? 0))
}

export async function findChangedSince(db: Db, revision: number): Promise<Changed> {
  const [keyIds = [], userIds = [], planIds = []] = await Promise.all(
    TABLES.map(async (table) => {
      const rows = await db
        .selectFrom(table)
        .select('id')
        .where('revision', '>', revision)
        .limit(MAX_CHANGED)
        .execute()
      return rows.map(({ id }) => id)
    }),
  )
  if ([keyIds, userIds, planIds].some((ids) => ids.length === MAX_CHANGED)) return null
  return { keyIds: new Set(keyIds), userIds: new Set(userIds), planIds: new Set(planIds) }
}
