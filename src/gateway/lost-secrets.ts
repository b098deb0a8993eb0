import { isLost, type LostSecret, type Revisions, type SecretBox, type Tx } from '#kernel'
import { TOPIC } from './admin/configuration.ts'
import { contextOf } from './admin/store.ts'
import type { GatewayTables } from './admin/tables.ts'

interface Deps {
  readonly box: SecretBox
  readonly revisions: Pick<Revisions, 'bump'>
  readonly nowMs: number
}

/** An object with a secret is sealed as a whole, so nothing of it is left: it is removed. */
export async function resetGatewaySecrets(
  tx: Tx,
  { box, revisions, nowMs }: Deps,
): Promise<LostSecret[]> {
  const trx = tx.as<GatewayTables>()
  const rows = await trx
    .selectFrom('gateway_objects')
    .select(['kind', 'id', 'value'])
    .where('sealed', '=', 1)
    .execute()
  const lost = rows.filter(({ kind, id, value }) => isLost(box, value, contextOf(kind, id)))
  if (lost.length === 0) return []
  const removed_index = await revisions.bump(tx, TOPIC)
  for (const { kind, id } of lost) {
    await trx.deleteFrom('gateway_objects').where('kind', '=', kind).where('id', '=', id).execute()
    const removal = { removed_index, removed_at: nowMs }
    await trx
      .insertInto('gateway_removals')
      .values({ kind, id, ...removal })
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(removal))
      .execute()
  }
  return lost.map(({ kind, id }) => ({
    of: `the gateway object ${kind}/${id}`,
    fate: 'removed',
    next: 'create it anew with its credentials or private key',
  }))
}
