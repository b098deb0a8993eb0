import type { Transaction } from 'kysely'
import type { Tx } from '#db'
import type { NewEvent } from '#events'
import type { EntryAction } from '../entries/event-names.ts'
import { eventsOf, pathInApi } from '../entries/events.ts'
import { createCopies } from '../entries/store/copies.ts'
import type { Registered } from '../entries/store/registry.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'

export interface TellingDeps {
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Where clients see the server, for URLs in events. */
  readonly publicUrl: string
}

interface Told extends Pick<TellingDeps, 'publicUrl'> {
  /** As the entries are stored still. */
  readonly type: ContentType
  readonly model: ContentModel
  readonly action: EntryAction
}

/** What a change of a type does to entries, each told as if it were the only one; not yet appended. */
export async function eventsAbout(
  trx: Transaction<ContentTables>,
  entries: readonly Registered[],
  { type, model, action, publicUrl }: Told,
): Promise<NewEvent[]> {
  if (entries.length === 0) return []
  const numbers = entries.map((entry) => entry.no)
  const copies = await createCopies(type, model).find(trx, numbers, 'values')
  const working = new Map(copies.flatMap((copy) => (copy.work ? [[copy.entryNo, copy]] : [])))
  return entries.flatMap((entry) => {
    const { body } = working.get(entry.no) ?? {}
    if (!body) return []
    const url = `${publicUrl}${pathInApi(type, entry)}`
    return eventsOf({ type, entry, body, actions: [action], live: entry.has_live === 1, url })
  })
}
