import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import { parseExactJson } from '#kernel'
import { type FoundPage, findPage, type ListQuery } from '#paging'
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
export async function findVisibilities(db: Db, names?: readonly string[]): Promise<EventType[]> {
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
  { name, description, examplePayload, schema, isActive, visibility }: EventType,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto('webhooks_event_types')
    .values({
      name,
      description,
      example_payload: JSON.stringify(examplePayload ?? null),
      schema,
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

/** Between what the parts of the product emit and what is stored of it. */
export interface KnownDifference {
  readonly changed: readonly EventTypeInfo[]
  readonly gone: readonly string[]
}

export async function findDifference(
  db: Db,
  known: readonly EventTypeInfo[],
): Promise<KnownDifference> {
  const rows = await db.selectFrom('webhooks_event_types').selectAll().execute()
  const stored = new Map(rows.map((row) => [row.name, row]))
  const names = new Set(known.map(({ name }) => name))
  const gone = rows.filter((row) => row.is_known === 1 && !names.has(row.name))
  return {
    // In one order, so that nodes that follow the same change never wait for each other in a circle.
    changed: known
      .filter((type) => !isSame(type, stored.get(type.name)))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    gone: gone.map(({ name }) => name).toSorted(),
  }
}

function isSame(type: EventTypeInfo, row: Row | undefined): boolean {
  if (row?.built_in !== 1 || row.is_known !== 1) return false
  const given = toGiven(type)
  return (
    row.is_changed === 1 ||
    (row.description === given.description &&
      row.example_payload === given.example_payload &&
      row.visibility === given.visibility)
  )
}

function toGiven({ description, examplePayload, visibility }: EventTypeInfo) {
  return { description, example_payload: JSON.stringify(examplePayload), visibility }
}

/**
 * What an operator changed stays so; what nothing emits any more becomes inactive until it appears
 * again.
 */
export async function saveDifference(
  db: Db,
  { changed, gone }: KnownDifference,
  nowMs: number,
): Promise<void> {
  for (const type of changed) {
    const given = toGiven(type)
    const row = { ...given, is_active: 1, built_in: 1, is_known: 1, is_changed: 0 }
    await db
      .insertInto('webhooks_event_types')
      .values({ name: type.name, ...row, schema: null, created_at: nowMs, updated_at: nowMs })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ built_in: 1, is_known: 1 }))
      .execute()
    await updateUnchanged(db, type.name, given)
  }
  if (gone.length === 0) return
  await db
    .updateTable('webhooks_event_types')
    .set({ is_known: 0 })
    .where('built_in', '=', 1)
    .where('name', 'in', gone)
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
    examplePayload: row.example_payload === null ? null : parseExactJson(row.example_payload),
    schema: row.schema,
    isActive: row.is_active === 1 && (row.built_in === 0 || row.is_known === 1),
    visibility: row.visibility,
    builtIn: row.built_in === 1,
  }
}
