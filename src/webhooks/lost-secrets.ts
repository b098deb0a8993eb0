import type { Tx } from '#db'
import type { Random } from '#kernel'
import type { LostSecret, SecretBox } from '#secrets'
import { createSecrets } from './secrets.ts'
import type { WebhooksTables } from './tables.ts'

/** Subscriptions whose secret cannot be opened get a new one; their receivers must be told. */
export async function resetWebhookSecrets(
  tx: Tx,
  { box, random }: { readonly box: SecretBox; readonly random: Random },
): Promise<LostSecret[]> {
  const trx = tx.as<WebhooksTables>()
  const secrets = createSecrets({ box, random })
  const rows = await trx
    .selectFrom('webhooks_subscriptions')
    .select(['id', 'endpoint_url', 'secret'])
    .execute()
  const lost = rows.filter(({ id, secret }) => secrets.isLost(id, secret))
  for (const { id } of lost) {
    await trx
      .updateTable('webhooks_subscriptions')
      .set({ secret: secrets.seal(id, secrets.create()), secret_old: null, secret_old_until: null })
      .where('id', '=', id)
      .execute()
  }
  return lost.map(({ id, endpoint_url }) => ({
    of: `the webhook subscription ${id} (${endpoint_url})`,
    fate: 'recreated',
    next: `give its receiver a secret: POST /webhooks/subscriptions/${id}/rotate-secret shows a new one`,
  }))
}
