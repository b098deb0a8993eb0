import type { Kysely } from 'kysely'
import type { Event } from '#events'
import type { Log } from '#kernel'
import { messageIdOf } from './body.ts'
import { findMessages } from './store/deliveries.ts'
import type { WebhooksTables } from './tables.ts'

/** What the content store and access say of an event that is about an entry. */
export interface EntrySource {
  /** Whether an event of this type can be about one. */
  isAboutEntry(event: Pick<Event, 'type' | 'payload'>): boolean
  /** The live entry as `/api/v1` shows it to a reader; null when there is none. */
  render(event: Pick<Event, 'type' | 'payload'>): Promise<string | null>
  /** Which of the consumers have an active key that may get the entry. */
  readers(
    event: Pick<Event, 'type' | 'payload'>,
    consumerIds: readonly string[],
  ): Promise<ReadonlySet<string>>
}

interface Deps {
  readonly reader: Kysely<WebhooksTables>
  readonly entries: EntrySource
  readonly log: Pick<Log, 'warn'>
}

/** An entry above this is left out (webhooks contract, changes after 0.1). */
const MAX_ENTRY_BYTES = 64 * 1024

/** The data of content events with their entry, for the subscriptions that ask for it. */
export function createEntryTexts({ reader, entries, log }: Deps) {
  return { of }

  /**
   * By consumer; those who may not get the entry are absent. One event has one such text for
   * everybody and for ever: what is stored already is taken, or attempts would differ.
   */
  async function of(
    event: Event,
    consumerIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (consumerIds.length === 0 || !entries.isAboutEntry(event)) return new Map()
    const readers = await entries.readers(event, [...new Set(consumerIds)])
    if (readers.size === 0) return new Map()
    const text = (await findStored(event)) ?? (await render(event))
    return new Map([...readers].map((id) => [id, text]))
  }

  async function findStored({ id }: Event): Promise<string | undefined> {
    const messageId = messageIdOf(id, true)
    return (await findMessages(reader, [messageId])).get(messageId)?.data
  }

  async function render(event: Event): Promise<string> {
    const entry = await renderEntry(event)
    const isLeftOut = entry === undefined || Buffer.byteLength(entry) > MAX_ENTRY_BYTES
    const member = isLeftOut ? '"entry_omitted":true' : `"entry":${entry}`
    return spliced(JSON.stringify(event.payload), member)
  }

  /** Undefined when it cannot be: one entry must not keep every other event from being sent. */
  async function renderEntry(event: Event): Promise<string | undefined> {
    try {
      return (await entries.render(event)) ?? 'null'
    } catch (error) {
      log.warn(
        { err: error, event_id: event.id, type: event.type },
        'an event goes without its entry',
      )
      return undefined
    }
  }
}

export type EntryTexts = ReturnType<typeof createEntryTexts>

/** Another member at the end of an object that is text. */
function spliced(object: string, member: string): string {
  return object === '{}' ? `{${member}}` : `${object.slice(0, -1)},${member}}`
}
