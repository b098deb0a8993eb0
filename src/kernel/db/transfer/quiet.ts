import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { OperatorError } from '../../errors.ts'
import type { Database } from '../database.ts'
import { GATE_CLOSES_WITHIN_MS } from '../write-gate.ts'
import type { TableInfo } from './cells.ts'
import type { SqliteFiles } from './sqlite-snapshot.ts'

const QUIET_MS = 1_000
const LONGEST_MS = 60_000
const LOOK_EVERY_MS = 100

/**
 * After a move was announced: resolves when no write that began before is under way any more, so that what is
 * read from then on is all there will be.
 */
export async function untilQuiet(
  { main }: Pick<Database, 'main'>,
  tables: readonly TableInfo[],
  files: SqliteFiles | null,
): Promise<void> {
  await delay(GATE_CLOSES_WITHIN_MS)
  if (files) return untilFilesRest(Object.values(files))
  // Waits for every transaction that has written to one of them.
  await main.transaction(undefined, async (tx) => {
    const names = sql.join(tables.map(({ name }) => sql.table(name)))
    await sql`lock table ${names} in share mode`.execute(tx.as())
  })
}

async function untilFilesRest(files: readonly string[]): Promise<void> {
  const open = files.map((file) => new DatabaseSync(file, { readOnly: true }))
  try {
    const startedMs = performance.now()
    let [seen, sinceMs] = [versions(), startedMs]
    while (performance.now() - sinceMs < QUIET_MS) {
      if (performance.now() - startedMs > LONGEST_MS) {
        throw new OperatorError(
          'Something goes on writing to the database. Stop it, and try again.',
        )
      }
      await delay(LOOK_EVERY_MS)
      const now = versions()
      if (now !== seen) [seen, sinceMs] = [now, performance.now()]
    }
  } finally {
    for (const db of open) db.close()
  }

  /** Another one after every commit of others. */
  function versions(): string {
    return open.map((db) => db.prepare('pragma data_version').get()?.['data_version']).join()
  }
}
