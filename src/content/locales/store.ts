import type { Kysely } from 'kysely'
import type { Locale } from '../model.ts'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>

export type LocaleFigures = Pick<Locale, 'code' | 'name' | 'isDefault' | 'fallback'>

export async function insertLocale(
  db: Db,
  { code, name, isDefault, fallback }: LocaleFigures,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto('content_locales')
    .values({
      code,
      name,
      is_default: isDefault ? 1 : 0,
      fallback,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute()
}
