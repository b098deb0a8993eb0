import type { Kysely, RawBuilder } from 'kysely'

export interface SettingsTables {
  kernel_settings: {
    area: string
    name: string
    /** JSON, or what the secret box made of it. */
    value: string
    updated_at: number | RawBuilder<number>
  }
}

export interface StoredSetting {
  readonly area: string
  readonly name: string
  readonly text: string
}

export async function readStored(db: Kysely<SettingsTables>): Promise<StoredSetting[]> {
  const rows = await db.selectFrom('kernel_settings').select(['area', 'name', 'value']).execute()
  return rows.map(({ area, name, value }) => ({ area, name, text: value }))
}

export async function writeStored(
  trx: Kysely<SettingsTables>,
  { area, name, text }: StoredSetting,
  nowMs: RawBuilder<number>,
): Promise<void> {
  const changed = { value: text, updated_at: nowMs }
  await trx
    .insertInto('kernel_settings')
    .values({ area, name, ...changed })
    .onConflict((conflict) => conflict.columns(['area', 'name']).doUpdateSet(changed))
    .execute()
}

export async function dropStored(trx: Kysely<SettingsTables>, area: string, name: string) {
  await trx
    .deleteFrom('kernel_settings')
    .where('area', '=', area)
    .where('name', '=', name)
    .execute()
}
