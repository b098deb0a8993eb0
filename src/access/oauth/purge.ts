import type { Database } from '#db'
import type { Clock } from '#kernel'
import { purgeTokens } from './store.ts'

/** Deletes expired tokens, in short writes, and returns how many. */
export async function purgeExpiredTokens(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<number> {
  for (let total = 0; ; ) {
    const { deleted, more } = await purgeTokens(db.main.writer, clock.now())
    total += deleted
    if (!more || signal?.aborted) return total
  }
}
