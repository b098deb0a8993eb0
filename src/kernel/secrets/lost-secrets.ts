import type { Tx } from '../db/database.ts'
import type { SqlDialect } from '../db/dialect.ts'
import type { SettingsTables } from '../settings/stored.ts'
import { saveKeyCheck } from './master-key.ts'
import type { SecretBox } from './secret-box.ts'

/** A stored secret that no known master key opens. */
export interface LostSecret {
  /** Of what: `webhook subscription 018f…`. */
  readonly of: string
  /** Made anew by us, but others have to be told; or has to be entered by a person. */
  readonly fate: 'recreated' | 'removed'
  /** What the operator has to do now. */
  readonly next: string
}

interface Tables extends SettingsTables {
  kernel_idempotency: { answer: string | null; receipt: string | null }
}

/** Whether the text was sealed, and neither with the current nor with the previous key. */
export function isLost(box: SecretBox, sealed: string, context?: string): boolean {
  if (!sealed.startsWith('v1.')) return false
  try {
    box.open(sealed, context)
    return false
  } catch {
    return true
  }
}

/**
 * What the kernel itself keeps sealed: secret settings are removed, answers kept for repeated requests
 * are forgotten, and the current key becomes the one that every node has to hold.
 */
export async function resetKernelSecrets(
  tx: Tx,
  { box, dialect }: { readonly box: SecretBox; readonly dialect: SqlDialect },
): Promise<LostSecret[]> {
  const trx = tx.as<Tables>()
  const rows = await trx.selectFrom('kernel_settings').selectAll().execute()
  const lost = rows.filter(({ value }) => isLost(box, value))
  for (const { area, name } of lost) {
    await trx
      .deleteFrom('kernel_settings')
      .where('area', '=', area)
      .where('name', '=', name)
      .execute()
  }
  const answers = await trx
    .deleteFrom('kernel_idempotency')
    .where(({ eb, or }) =>
      or([
        eb('answer', 'not like', `v1.${box.keyId}.%`),
        eb('receipt', 'not like', `v1.${box.keyId}.%`),
      ]),
    )
    .executeTakeFirst()
  await saveKeyCheck(tx, { box, dialect })
  const settings = lost.filter(({ area }) => area !== 'kernel')
  return [
    ...settings.map(({ area, name }) => toLost(`the setting ${area}.${name}`, area)),
    ...(answers.numDeletedRows > 0n ? [FORGOTTEN] : []),
  ]
}

const FORGOTTEN: LostSecret = {
  of: 'the answers kept for requests with an Idempotency-Key',
  fate: 'recreated',
  next: 'nothing; a request repeated with a key of before is carried out again',
}

function toLost(of: string, area: string): LostSecret {
  return { of, fate: 'removed', next: `enter it anew with PATCH /api/v1/settings/${area}` }
}
