import type { Kysely } from 'kysely'
import type { Alongside, Database } from '#db'
import { type Clock, conflict, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { EventTypeChange } from './event-type-input.ts'
import { ANY_EVENT, type EventType, type EventTypeInfo } from './records.ts'
import { unknownEvents } from './refusals.ts'
import {
  deleteEventType,
  findActiveNames,
  findDifference,
  findEventType,
  findEventTypes,
  findVisibilities,
  insertEventType,
  saveDifference,
  updateEventType,
} from './store/event-types.ts'
import type { WebhooksTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
}

/** Webhooks contract §3: what can be subscribed to and published, and who may see it. */
export function createEventTypes({ db, clock }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return {
    takeOver,
    requireActive,
    requireNamed,
    schemas,
    visibilities,
    list,
    listAll,
    get,
    create,
    update,
    remove,
  }

  /** What the parts of the product emit now; most changes of the content model change none of it. */
  async function takeOver(known: readonly EventTypeInfo[]): Promise<void> {
    const difference = await findDifference(reader, known)
    if (difference.changed.length + difference.gone.length === 0) return
    await db.main.transaction(undefined, (tx) =>
      saveDifference(tx.as<WebhooksTables>(), difference, clock.now()),
    )
  }

  /** Doc 1 §4.2 rule 1: names all that are unknown, in the order of the request. */
  async function requireActive(names: readonly string[]): Promise<void> {
    const asked = names.filter((name) => name !== ANY_EVENT)
    const active = await findActiveNames(reader, asked)
    const unknown = asked.filter((name) => !active.has(name))
    if (unknown.length > 0) throw unknownEvents(unknown)
  }

  /** The same where `*` means no type: what is published or tested has one. */
  async function requireNamed(names: readonly string[]): Promise<void> {
    const active = await findActiveNames(reader, names)
    const unknown = [...new Set(names)].filter((name) => !active.has(name))
    if (unknown.length > 0) throw unknownEvents(unknown)
  }

  /** Of those of the types that have one, as text. */
  async function schemas(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map(
      (await findVisibilities(reader, names)).flatMap(({ name, schema }) =>
        schema === null ? [] : [[name, schema] as const],
      ),
    )
  }

  /** Of the active ones, by name. */
  async function listAll(): Promise<readonly EventType[]> {
    const all = await findVisibilities(reader)
    return all.filter(({ isActive }) => isActive).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  function visibilities(names?: readonly string[]) {
    return findVisibilities(reader, names)
  }

  function list(
    filter: { readonly includeInactive: boolean },
    query: ListQuery<string, string>,
  ): Promise<FoundPage<EventType & { readonly id: string }>> {
    return findEventTypes(reader, filter, query)
  }

  async function get(name: string): Promise<EventType> {
    return (await findEventType(reader, name)) ?? unknownType()
  }

  async function create(type: EventType, alongside?: Alongside<EventType>): Promise<EventType> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      if (await findEventType(trx, type.name)) throw taken()
      try {
        await tx.savepoint(() => insertEventType(trx, type, clock.now()))
      } catch (error) {
        if (db.dialect.isUniqueViolation(error)) throw taken()
        throw error
      }
      const created = (await findEventType(trx, type.name)) ?? unknownType()
      await alongside?.(tx, created)
      return created
    })
  }

  async function update(name: string, change: EventTypeChange): Promise<EventType> {
    const { description, examplePayload, schema, isActive, visibility } = change
    return changeOne(name, async (trx) => {
      await updateEventType(trx, name, {
        ...(description === undefined ? {} : { description }),
        ...(examplePayload === undefined
          ? {}
          : { example_payload: JSON.stringify(examplePayload) }),
        ...(schema === undefined ? {} : { schema }),
        ...(isActive === undefined ? {} : { is_active: isActive ? 1 : 0 }),
        ...(visibility === undefined ? {} : { visibility }),
        is_changed: 1,
        updated_at: clock.now(),
      })
      return (await findEventType(trx, name)) ?? unknownType()
    })
  }

  async function remove(name: string): Promise<void> {
    await changeOne(name, async (trx, { builtIn }) => {
      if (builtIn) throw conflict('conflict', 'A built-in type can only be deactivated')
      await deleteEventType(trx, name)
    })
  }

  async function changeOne<T>(
    name: string,
    work: (trx: Kysely<WebhooksTables>, type: EventType) => Promise<T>,
  ): Promise<T> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const type = (await findEventType(trx, name)) ?? unknownType()
      return work(trx, type)
    })
  }
}

export type EventTypes = ReturnType<typeof createEventTypes>

function taken() {
  return conflict('conflict', 'An event type with this name exists')
}

function unknownType(): never {
  throw notFound('event_type')
}
