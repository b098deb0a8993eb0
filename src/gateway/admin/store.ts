import type { Kysely } from 'kysely'
import type { SecretBox } from '#secrets'
import type { Kind } from '../protocol.ts'
import type { JsonObject } from '../resources/values.ts'
import type { GatewayTables } from './tables.ts'

/** An object as it is stored; its value has neither id nor times. */
export interface Stored {
  readonly kind: Kind
  readonly id: string
  readonly value: JsonObject
  readonly createdIndex: number
  readonly modifiedIndex: number
  /** Seconds since 1970. */
  readonly createTime: number
  readonly updateTime: number
  /** When the object ends by itself (contract §2, ttl). */
  readonly expiresAtMs?: number
  /** Entries of `traffic-split` that their guard has taken out of use; the next edit clears them. */
  readonly aborts?: readonly string[]
}

export interface Removed {
  readonly kind: Kind
  readonly id: string
}

type Db = Kysely<GatewayTables>

const BATCH = 200

export function createStore(box: SecretBox) {
  return {
    findAll,
    findSince,
    findRemovedSince,
    count,
    save,
    remove,
    purgeRemovals,
    readMarks,
    saveMark,
  }

  function findAll(db: Db): Promise<Stored[]> {
    return findSince(db, 0)
  }

  /** Everything written after that index. */
  async function findSince(db: Db, index: number): Promise<Stored[]> {
    const rows = await db
      .selectFrom('gateway_objects')
      .selectAll()
      .where('modified_index', '>', index)
      .execute()
    return rows.map(toStored)
  }

  function findRemovedSince(db: Db, index: number): Promise<Removed[]> {
    return db
      .selectFrom('gateway_removals')
      .select(['kind', 'id'])
      .where('removed_index', '>', index)
      .execute()
  }

  async function count(db: Db): Promise<number> {
    const { n } = await db
      .selectFrom('gateway_objects')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function save(db: Db, objects: readonly (Stored & { isSecret: boolean })[]): Promise<void> {
    for (let at = 0; at < objects.length; at += BATCH) {
      const rows = objects.slice(at, at + BATCH).map(toRow)
      await db
        .insertInto('gateway_objects')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['kind', 'id']).doUpdateSet((row) => ({
            value: row.ref('excluded.value'),
            sealed: row.ref('excluded.sealed'),
            modified_index: row.ref('excluded.modified_index'),
            updated_at: row.ref('excluded.updated_at'),
            expires_at: row.ref('excluded.expires_at'),
            aborts: row.ref('excluded.aborts'),
          })),
        )
        .execute()
      for (const [kind, ids] of Map.groupBy(rows, ({ kind }) => kind)) {
        await db
          .deleteFrom('gateway_removals')
          .where('kind', '=', kind)
          .where(
            'id',
            'in',
            ids.map(({ id }) => id),
          )
          .execute()
      }
    }
  }

  async function remove(db: Db, removed: readonly Removed[], index: number, nowMs: number) {
    for (const { kind, id } of removed) {
      await db.deleteFrom('gateway_objects').where('kind', '=', kind).where('id', '=', id).execute()
      await db
        .insertInto('gateway_removals')
        .values({ kind, id, removed_index: index, removed_at: nowMs })
        .onConflict((conflict) =>
          conflict.columns(['kind', 'id']).doUpdateSet({ removed_index: index, removed_at: nowMs }),
        )
        .execute()
    }
  }

  async function purgeRemovals(db: Db, beforeMs: number): Promise<void> {
    await db.deleteFrom('gateway_removals').where('removed_at', '<', beforeMs).execute()
  }

  async function readMarks(db: Db): Promise<Map<string, string>> {
    const rows = await db.selectFrom('gateway_marks').selectAll().execute()
    return new Map(rows.map(({ name, value }) => [name, value]))
  }

  async function saveMark(db: Db, name: string, value: string): Promise<void> {
    await db
      .insertInto('gateway_marks')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  }

  function toRow(object: Stored & { isSecret: boolean }): GatewayTables['gateway_objects'] {
    const { kind, id, isSecret } = object
    const text = JSON.stringify(object.value)
    return {
      kind,
      id,
      value: isSecret ? box.seal(text, contextOf(kind, id)) : text,
      sealed: isSecret ? 1 : 0,
      created_index: object.createdIndex,
      modified_index: object.modifiedIndex,
      created_at: object.createTime,
      updated_at: object.updateTime,
      expires_at: object.expiresAtMs ?? null,
      aborts: object.aborts ? JSON.stringify(object.aborts) : null,
    }
  }

  function toStored(row: GatewayTables['gateway_objects']): Stored {
    const { kind, id } = row
    const text = row.sealed === 1 ? box.open(row.value, contextOf(kind, id)) : row.value
    const value: JsonObject = JSON.parse(text)
    return {
      kind,
      id,
      value,
      createdIndex: row.created_index,
      modifiedIndex: row.modified_index,
      createTime: row.created_at,
      updateTime: row.updated_at,
      ...(row.expires_at === null ? {} : { expiresAtMs: row.expires_at }),
      ...(row.aborts === null ? {} : { aborts: JSON.parse(row.aborts) }),
    }
  }
}

export type Store = ReturnType<typeof createStore>

export function contextOf(kind: Kind, id: string): string {
  return `gateway/${kind}/${id}`
}
