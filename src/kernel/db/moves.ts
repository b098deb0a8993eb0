import type { Kysely } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { AnyTables, Database } from './database.ts'

/** A database that is on its way somewhere (`out`) or not whole yet (`in`). */
export interface Move {
  readonly direction: 'out' | 'in'
  readonly id: string
  /** Of `out`: being copied, or all of it is elsewhere. */
  readonly state: 'copying' | 'moved'
  /** The other database, without its password. */
  readonly peer: string
  readonly startedAtMs: number
}

interface Tables {
  kernel_moves: {
    direction: Move['direction']
    id: string
    state: Move['state']
    peer: string
    started_at: number
  }
}

type Db = Kysely<AnyTables>

export async function findMove(db: Db, direction: Move['direction']): Promise<Move | undefined> {
  const own: Kysely<Tables> = db
  const row = await own
    .selectFrom('kernel_moves')
    .selectAll()
    .where('direction', '=', direction)
    .executeTakeFirst()
  return row && { ...row, startedAtMs: Number(row.started_at) }
}

export async function saveMove(db: Db, move: Move): Promise<void> {
  const own: Kysely<Tables> = db
  const { direction, id, state, peer, startedAtMs: started_at } = move
  await own
    .insertInto('kernel_moves')
    .values({ direction, id, state, peer, started_at })
    .onConflict((conflict) =>
      conflict.column('direction').doUpdateSet({ id, state, peer, started_at }),
    )
    .execute()
}

export async function endMove(db: Db, direction: Move['direction']): Promise<void> {
  const own: Kysely<Tables> = db
  await own.deleteFrom('kernel_moves').where('direction', '=', direction).execute()
}

/** A server does not start on a database that is only half there, or no longer the one that counts. */
export async function refuseMoving({ main }: Database): Promise<void> {
  const [out, incoming] = await Promise.all([
    findMove(main.reader, 'out').catch(noTableYet),
    findMove(main.reader, 'in').catch(noTableYet),
  ])
  if (incoming) {
    throw new OperatorError(
      `This database is not whole: what comes from ${incoming.peer} was broken off. Do it again, with the same command.`,
    )
  }
  if (out?.state === 'moved') {
    throw new OperatorError(
      `What was in this database is in ${out.peer} now: start with that one. To go on with this one all the same, say "entrepot move --cancel".`,
    )
  }
  if (out) {
    throw new OperatorError(
      `This database is being moved to ${out.peer}. Go on with the same "entrepot move --to", or give it up with "entrepot move --cancel".`,
    )
  }
}

/** Before the migration that makes the table there was nothing to move. */
function noTableYet(): undefined {
  return undefined
}
