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

export async function updateLocale(
  db: Db,
  { code, name, isDefault, fallback }: LocaleFigures,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('content_locales')
    .set({ name, is_default: isDefault ? 1 : 0, fallback, updated_at: nowMs })
    .where('code', '=', code)
    .execute()
}

export async function clearDefault(db: Db): Promise<void> {
  await db.updateTable('content_locales').set({ is_default: 0 }).execute()
}

export async function deleteLocale(db: Db, code: string): Promise<void> {
  await db.deleteFrom('content_locales').where('code', '=', code).execute()
}

/** Who fell back to it falls back to nothing. */
export async function dropFallback(db: Db, code: string): Promise<void> {
  await db
    .updateTable('content_locales')
    .set({ fallback: null })
    .where('fallback', '=', code)
    .execute()
}

/** Entries of these types that are in the locale. */
export async function countOfLocale(
  db: Db,
  code: string,
  typeNos: readonly number[],
): Promise<number> {
  if (typeNos.length === 0) return 0
  const { found } = await db
    .selectFrom('content_entries')
    .select((row) => row.fn.countAll<number | string>().as('found'))
    .where('locale', '=', code)
    .where('type_no', 'in', typeNos)
    .executeTakeFirstOrThrow()
  return Number(found)
}

/** Ids of some entries of a type in a locale. */
export async function findVariants(db: Db, typeNo: number, code: string, limit: number) {
  const rows = await db
    .selectFrom('content_entries')
    .select('id')
    .where('type_no', '=', typeNo)
    .where('locale', '=', code)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
