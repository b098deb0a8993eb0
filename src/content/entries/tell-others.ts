import { sql } from 'kysely'
import type { NewEvent } from '#events'
import { type Attribute, type ContentModel, type ContentType, componentsOf } from '../model.ts'
import type { Body } from './body.ts'
import { isProduct, STOCK_EVENT } from './event-names.ts'
import { eventsOf, pathInApi } from './events.ts'
import { createCopies } from './store/copies.ts'
import { findRegistered, type Registered } from './store/registry.ts'
import type { Trx } from './store/statements.ts'

/** An entry that shows something else because of a write to another entry or a file. */
export interface ChangedEntry {
  /** As it is now. */
  readonly entry: Registered
  /** Its live copy shows it. */
  readonly live: boolean
}

/**
 * What feeds and subscriptions learn of them: an update each, unless `told` says more of the same entry already. Whoever
 * follows `/api/v1/changes` then has read everything that a dialect shows.
 */
export async function eventsOfOthers(
  trx: Trx,
  model: ContentModel,
  publicUrl: string,
  changed: readonly ChangedEntry[],
  told: readonly NewEvent[] = [],
): Promise<NewEvent[]> {
  const known = new Set(told.filter(({ type }) => type !== STOCK_EVENT).map(nameOf))
  const byType = Map.groupBy(changed, ({ entry }) => entry.type_no)
  const events: NewEvent[] = []
  for (const [typeNo, all] of byType) {
    const type = model.typeByNo(typeNo)
    if (!type) continue
    const own = once(all)
    const bodies = isProduct(type) ? await bodiesOf(trx, model, type, own) : null
    for (const { entry, live } of own) {
      const url = `${publicUrl}${pathInApi(type, entry)}`
      const body = bodies?.get(entry.no) ?? NOTHING
      const updated = eventsOf({ type, entry, body, actions: ['updated'], live, url })
      for (const event of updated) if (!known.has(nameOf(event))) events.push(event)
    }
  }
  return events
}

const NOTHING: Body = { values: new Map(), formats: {}, links: new Map(), parts: new Map() }

/** The last state of each, live when any of its changes was. */
function once(changed: readonly ChangedEntry[]): readonly ChangedEntry[] {
  const found = new Map<number, ChangedEntry>()
  for (const { entry, live } of changed) {
    const wasLive = found.get(entry.no)?.live ?? false
    found.set(entry.no, { entry, live: live || wasLive })
  }
  return [...found.values()]
}

function nameOf({ type, payload }: NewEvent): string {
  const singular = type.slice(0, type.lastIndexOf('.'))
  return `${singular} ${payload['id']}`
}

/** Events of products say more of them than which they are. */
async function bodiesOf(
  trx: Trx,
  model: ContentModel,
  type: ContentType,
  changed: readonly ChangedEntry[],
): Promise<ReadonlyMap<number, Body>> {
  const nos = changed.map(({ entry }) => entry.no)
  const copies = await createCopies(type, model).find(trx, nos, 'values')
  return new Map(copies.filter(({ work }) => work).map(({ entryNo, body }) => [entryNo, body]))
}

/** Entries that refer to a document or a file by such attributes, their own or those of their components. */
export async function findReferring(
  trx: Trx,
  model: ContentModel,
  target: string,
  isAsked: (attribute: Attribute) => boolean,
): Promise<readonly ChangedEntry[]> {
  const found: (readonly ChangedEntry[])[] = []
  for (const type of model.types) {
    const sets = [type, ...componentsOf(model, type)]
    const nos = sets.flatMap(({ attributes }) => attributes.filter(isAsked).map(({ no }) => no))
    if (nos.length > 0) found.push(await findOfType(trx, type, target, nos))
  }
  return found.flat()
}

async function findOfType(
  trx: Trx,
  type: ContentType,
  target: string,
  attributeNos: readonly number[],
): Promise<readonly ChangedEntry[]> {
  const { rows } = await sql<{ entry_no: number; live: number }>`
    select copy.entry_no, max(copy.live) as live from content_links as link
    join ${sql.table(type.table)} as copy on copy.copy_no = link.owner_copy
    where link.target = ${target} and link.attribute_no in (${sql.join(attributeNos)})
    group by copy.entry_no`.execute(trx)
  const live = new Map(rows.map((row) => [row.entry_no, row.live === 1]))
  const entries = await findRegistered(trx, [...live.keys()])
  return entries.map((entry) => ({ entry, live: live.get(entry.no) ?? false }))
}
