import type { Tx } from '#db'
import { isLost, type LostSecret, type SecretBox } from '#secrets'
import { contextOf } from './integrations.ts'
import type { CredentialTables } from './tables.ts'

/** Integrations whose secrets no key opens can verify nothing any more: they are revoked. */
export async function resetCommerceSecrets(
  tx: Tx,
  { box, nowMs }: { readonly box: SecretBox; readonly nowMs: number },
): Promise<LostSecret[]> {
  const trx = tx.as<CredentialTables>()
  const rows = await trx
    .selectFrom('commerce_integrations')
    .select(['id', 'name', 'consumer_key', 'consumer_secret', 'token_secret'])
    .where('revoked_at', 'is', null)
    .execute()
  const lost = rows.filter(({ consumer_key: key, consumer_secret, token_secret }) =>
    [consumer_secret, token_secret].some((sealed) => isLost(box, sealed, contextOf(key))),
  )
  for (const { id, consumer_key: key } of lost) {
    // What no key opens would fail every check and every resealing; what is revoked lets nobody in.
    const nothing = box.seal('', contextOf(key))
    await trx
      .updateTable('commerce_integrations')
      .set({ revoked_at: nowMs, consumer_secret: nothing, token_secret: nothing })
      .where('id', '=', id)
      .execute()
  }
  return lost.map(({ id, name }) => ({
    of: `the secrets of the integration ${id} (${name})`,
    fate: 'removed',
    next: 'create it again: POST /api/v1/integrations',
  }))
}
