import { join } from 'node:path'
import type { DatabaseSettings } from '#db'
import type { Carrier } from './plan.ts'
import { openPostgresCarrier } from './postgres.ts'
import { openSqliteCarrier } from './sqlite.ts'

export async function openCarrier({ url, dataDir }: DatabaseSettings): Promise<Carrier> {
  return url ? openPostgresCarrier(url) : openSqliteCarrier(join(dataDir, 'entrepot.db'))
}
