import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { FoundPage, ListQuery } from '#kernel'
import { findPage } from '#kernel'
import type { EventType, EventTypeInfo } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>
type Row = Selectable<WebhooksTables['webhooks_event_types']>

/** Active: by the operator's will, and emitted by a part of the product when it is built in. */
export async function findEventTypes(
  db: Db,
  { includeInactive }: { readonly includeInactive: boolean },
  list: ListQuery<string, string>,
): Promise<FoundPage<EventType & { readonly id: string }>> {
  const filtered = includeInactive ? db.selectFrom('webhooks_event_types') : active(db)
  const page = await findPage(filtered, (query) => query.selectAll(), list, {
    id: 'name',
    name: 'name',
  })
  return { ...page, rows: page.rows.map((row) => ({ ...toEventType(row), id: row.name })) }
}

export async function findEventType(db: Db, name: string): Promise<EventType | undefined> {
  const row = await db
    .selectFrom('webhooks_event_types')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  return row && toEventType(row)
}

export async function findActiveNames(db: Db, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await active(db).select('name').where('name', 'in', names).execute()
  return new Set(rows.map(({ name }) => name))
}

/** All of them, also those that nothing emits any more: their past events keep their visibility. */
export async function findVisibilities(
  db: Db,
  names?: readonly string[],
): Promise<Pick<EventType, 'name' | 'visibility' | 'isActive'>[]> {
  if (names?.length === 0) return []
  const rows = await db
    .selectFrom('webhooks_event_types')
    .selectAll()
    .$if(names !== undefined, (query) => query.where('name', 'in', names ?? []))
    .execute()
  return rows.map(toEventType)
}

export async function insertEventType(
  db: Db,
  { name, description, examplePayload, isActive, visibility }: EventType,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto('webhooks_event_types')
    .values({
      name,
      description,
      example_payload: JSON.stringify(examplePayload ?? null),
      is_active: isActive ? 1 : 0,
      visibility,
      built_in: 0,
      is_known: 0,
      is_changed: 0,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute()
}

export async function updateEventType(
  db: Db,
  name: string,
  change: Updateable<WebhooksTables['webhooks_event_types']>,
): Promise<void> {
  await db.updateTable('webhooks_event_types').set(change).where('name', '=', name).execute()
}

export async function deleteEventType(db: Db, name: string): Promise<void> {
  await db.deleteFrom('webhooks_event_types').where('name', '=', name).execute()
}

/**
 * Takes over what the parts of the product emit. What an operator changed stays so; what nothing
 * emits any more becomes inactive until it appears again.
 */
export async function saveKnown(
  db: Db,
  known: readonly EventTypeInfo[],
  nowMs: number,
): Promise<void> {
  const names = known.map(({ name }) => name)
  for (const { name, description, examplePayload, visibility } of known) {
    const given = { description, example_payload: JSON.stringify(examplePayload), visibility }
    await db
      .insertInto('webhooks_event_types')
      .values({
        name,
        ...given,
        is_active: 1,
        built_in: 1,
        is_known: 1,
        is_changed: 0,
        created_at: nowMs,
        updated_at: nowMs,
      })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ built_in: 1, is_known: 1 }))
      .execute()
    await updateUnchanged(db, name, given)
  }
  await db
    .updateTable('webhooks_event_types')
    .set({ is_known: 0 })
    .where('built_in', '=', 1)
    .where('is_known', '=', 1)
    .$if(names.length > 0, (query) => query.where('name', 'not in', names))
    .execute()
}

async function updateUnchanged(
  db: Db,
  name: string,
  given: Updateable<WebhooksTables['webhooks_event_types']>,
) {
  await db
    .updateTable('webhooks_event_types')
    .set(given)
    .where('name', '=', name)
    .where('is_changed', '=', 0)
    .execute()
}

function active(db: Db) {
  return db
    .selectFrom('webhooks_event_types')
    .where('is_active', '=', 1)
    .where(sql<boolean>`(built_in = 0 or is_known = 1)`)
}

function toEventType(row: Row): EventType {
  return {
    name: row.name,
    description: row.description,
    examplePayload: row.example_payload === null ? null : JSON.parse(row.example_payload),
    isActive: row.is_active === 1 && (row.built_in === 0 || row.is_known === 1),
    visibility: row.visibility,
    builtIn: row.built_in === 1,
  }
}
