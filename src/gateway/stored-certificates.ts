import type { Database } from '#db'
import type { SecretBox } from '#secrets'
import { createStore } from './admin/store.ts'
import type { GatewayTables } from './admin/tables.ts'

/** The certificates of `ssls` as PEM by id, without those that lie elsewhere and are only referred to. */
export async function findStoredCertificates(
  db: Database,
  box: SecretBox,
): Promise<{ readonly id: string; readonly cert: string }[]> {
  const reader = db.main.reader.$pickTables<keyof GatewayTables>()
  const stored = await createStore(box).findAll(reader)
  return stored.flatMap(({ kind, id, value: { cert } }) =>
    kind === 'ssls' && typeof cert === 'string' && cert.includes('-----BEGIN')
      ? [{ id, cert }]
      : [],
  )
}
