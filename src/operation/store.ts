import { type Kysely, sql } from 'kysely'
import type { OperationTables, TrafficPart } from './tables.ts'

type Db = Kysely<OperationTables>

export type NodeRow = OperationTables['operation_nodes']

export async function saveNode(db: Db, row: NodeRow): Promise<void> {
  const { id: _, ...rest } = row
  await db
    .insertInto('operation_nodes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

/** Oldest first, so that a list does not jump while processes come and go. */
export async function findNodes(db: Db, seenSinceMs: number): Promise<NodeRow[]> {
  return db
    .selectFrom('operation_nodes')
    .selectAll()
    .where('seen_at', '>=', seenSinceMs)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
}

export async function deleteNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom('operation_nodes').where('id', '=', id).execute()
}

export async function deleteNodesBefore(db: Db, seenBeforeMs: number): Promise<void> {
  await db.deleteFrom('operation_nodes').where('seen_at', '<', seenBeforeMs).execute()
}

export interface Traffic {
  readonly requests: number
  readonly errors: number
}

/** All nodes add to the same rows. */
export async function addTraffic(
  db: Db,
  key: { readonly at: number; readonly part: TrafficPart },
  { requests, errors }: Traffic,
): Promise<void> {
  await db
    .insertInto('operation_traffic')
    .values({ ...key, requests, errors })
    .onConflict((conflict) =>
      conflict.columns(['at', 'part']).doUpdateSet({
        requests: sql`operation_traffic.requests + ${requests}`,
        errors: sql`operation_traffic.errors + ${errors}`,
      }),
    )
    .execute()
}

export async function findTraffic(db: Db, sinceMs: number) {
  return db.selectFrom('operation_traffic').selectAll().where('at', '>=', sinceMs).execute()
}

export async function deleteTrafficBefore(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('operation_traffic').where('at', '<', beforeMs).execute()
}
