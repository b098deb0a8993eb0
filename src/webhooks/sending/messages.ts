import type { Kysely } from 'kysely'
import type { Message } from '../body.ts'
import { findMessages } from '../store/deliveries.ts'
import type { WebhooksTables } from '../tables.ts'

const MAX_BYTES = 32 * 1024 * 1024
const PER_READ = 100

/** Messages about to be sent: most go to many subscriptions and are read once. */
export function createMessages(reader: Kysely<WebhooksTables>) {
  const kept = new Map<string, Message>()
  let bytes = 0
  return { get, load, keep }

  function get(id: string): Message | undefined {
    return kept.get(id)
  }

  async function load(ids: Iterable<string>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !kept.has(id))
    for (let at = 0; at < missing.length; at += PER_READ) {
      const found = await findMessages(reader, missing.slice(at, at + PER_READ))
      for (const message of found.values()) keep(message)
    }
  }

  function keep(message: Message) {
    if (kept.has(message.id)) return
    kept.set(message.id, message)
    bytes += message.data.length
    for (const [id, oldest] of kept) {
      if (bytes <= MAX_BYTES || id === message.id) return
      kept.delete(id)
      bytes -= oldest.data.length
    }
  }
}

export type Messages = ReturnType<typeof createMessages>
