import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import type { CredentialTables } from './tables.ts'

interface Rule {
  readonly most: number
  readonly lastsMs: number
  /** From the last failure on, or a window that begins with the first. */
  readonly since: 'last' | 'first'
}

type Tried =
  | { readonly isAllowed: true; readonly count: number }
  | { readonly isAllowed: false; readonly waitMs: number }

/**
 * Failures in a row, kept in the database so that neither a restart nor another node forgets them. Each try counts as
 * a failure before it is made: many at once get no more tries than one after the other.
 */
export function createFailures({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  const writer: Kysely<CredentialTables> = db.main.writer
  return { begin, forgive, purge }

  /** Counts a try, unless there were too many; a try that is refused does not count. */
  function begin(name: string, rule: Rule): Promise<Tried> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<CredentialTables>()
      const nowMs = clock.now()
      const fresh = { name, count: 0, first_at: nowMs, last_at: nowMs }
      // Where rows are locked, this one is from here on.
      await trx
        .insertInto('commerce_failures')
        .values(fresh)
        .onConflict((on) =>
          on.column('name').doUpdateSet((row) => ({ name: row.ref('excluded.name') })),
        )
        .execute()
      const stored = await trx
        .selectFrom('commerce_failures')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      const endsAtMs = (rule.since === 'last' ? stored.last_at : stored.first_at) + rule.lastsMs
      const current = endsAtMs <= nowMs ? fresh : stored
      if (current.count >= rule.most) return { isAllowed: false, waitMs: endsAtMs - nowMs }
      const count = current.count + 1
      await trx
        .updateTable('commerce_failures')
        .set({ count, first_at: current.first_at, last_at: nowMs })
        .where('name', '=', name)
        .execute()
      return { isAllowed: true, count }
    })
  }

  /** It was right: the row of failures is over. */
  async function forgive(name: string): Promise<void> {
    await writer.deleteFrom('commerce_failures').where('name', '=', name).execute()
  }

  async function purge(beforeMs: number): Promise<void> {
    await writer.deleteFrom('commerce_failures').where('last_at', '<', beforeMs).execute()
  }
}

export type Failures = ReturnType<typeof createFailures>
