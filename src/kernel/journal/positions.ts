import type { Kysely } from 'kysely'
import type { Store, Tx } from '../db/database.ts'

interface Tables {
  kernel_journal_positions: { segment: string; position: number; updated_at: number }
}

export interface Advance {
  readonly segment: string
  readonly from: number
  readonly to: number
}

/** How far each segment is drained; a segment without a row is not begun. */
export async function findPositions(
  store: Store,
  segments: readonly string[],
): Promise<Map<string, number>> {
  if (segments.length === 0) return new Map()
  const writer: Kysely<Tables> = store.writer
  const rows = await writer
    .selectFrom('kernel_journal_positions')
    .select(['segment', 'position'])
    .where('segment', 'in', segments)
    .execute()
  return new Map(rows.map(({ segment, position }) => [segment, position]))
}

/**
 * False when the segment does not stand at `from`. A commit whose answer was lost may still be
 * under way on the server: both statements wait for it, and then see what it did.
 */
export async function advance(tx: Tx, { segment, from, to }: Advance, nowMs: number) {
  const trx = tx.as<Tables>()
  if (from === 0) {
    const inserted = await trx
      .insertInto('kernel_journal_positions')
      .values({ segment, position: to, updated_at: nowMs })
      .onConflict((conflict) => conflict.column('segment').doNothing())
      .executeTakeFirst()
    return inserted.numInsertedOrUpdatedRows === 1n
  }
  const updated = await trx
    .updateTable('kernel_journal_positions')
    .set({ position: to, updated_at: nowMs })
    .where('segment', '=', segment)
    .where('position', '=', from)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function removePositions(store: Store, segments: readonly string[]): Promise<void> {
  const writer: Kysely<Tables> = store.writer
  await writer.deleteFrom('kernel_journal_positions').where('segment', 'in', segments).execute()
}
