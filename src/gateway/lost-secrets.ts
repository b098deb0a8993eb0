import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { Tx } from '#db'
import { isLost, type LostSecret, type SecretBox } from '#secrets'
import { FLOOR, TOPIC } from './admin/configuration.ts'
import { PENDING } from './admin/history.ts'
import { historyContext } from './admin/history-store.ts'
import { contextOf } from './admin/store.ts'
import type { GatewayTables } from './admin/tables.ts'

interface Deps {
  readonly box: SecretBox
  readonly revisions: Pick<Revisions, 'bump'>
  readonly nowMs: number
}

/** A past of which a part cannot be read leads nowhere: history begins anew. */
async function dropLostHistory(trx: Kysely<GatewayTables>, box: SecretBox): Promise<void> {
  const rows = await trx
    .selectFrom('gateway_history')
    .select(['revision', 'kind', 'id', 'before', 'after'])
    .where('sealed', '=', 1)
    .execute()
  const isReadable = rows.every(({ revision, kind, id, before, after }) =>
    [before, after].every(
      (text) => text === null || !isLost(box, text, historyContext(revision, kind, id)),
    ),
  )
  if (isReadable) return
  await trx.deleteFrom('gateway_history').execute()
  await trx.deleteFrom('gateway_marks').where('name', 'in', [FLOOR, PENDING]).execute()
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
  await dropLostHistory(trx, box)
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
