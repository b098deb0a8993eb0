import type { Kysely } from 'kysely'
import type { AccessLevel, Actor, Clock, Random } from '#kernel'
import { lookUp } from './look-up.ts'
import { digestOf } from './secrets.ts'
import { insertTicket, takeTicket } from './store/passing.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly writer: Kysely<AccessTables>
  readonly clock: Clock
  readonly random: Random
}

export interface Ticket {
  readonly userId: number
  readonly keyId: number | null
  readonly access: AccessLevel
  readonly askedBy: Actor['kind']
}

const LASTS_MS = 60_000
const FORM = /^st_[A-Za-z0-9]{32}$/

/** One-use credentials that may stand in the URL of an event stream (access contract §1.3). */
export function createTickets({ writer, clock, random }: Deps) {
  return { issue, take }

  async function issue(actor: Actor) {
    const ticket = `st_${random.text(32)}`
    const expiresAtMs = clock.now() + LASTS_MS
    await insertTicket(writer, {
      ticket_hash: digestOf(ticket),
      user_id: actor.userId,
      api_key_id: actor.apiKeyId,
      access: actor.access,
      asked_by: actor.kind,
      expires_at: expiresAtMs,
    })
    return { ticket, expiresAtMs }
  }

  /** Undefined for the second who comes with it, and when it is too late. */
  async function take(ticket: string): Promise<Ticket | undefined> {
    if (!FORM.test(ticket)) return undefined
    const row = await lookUp(() => takeTicket(writer, digestOf(ticket)))
    if (!row || row.expires_at <= clock.now()) return undefined
    return {
      userId: row.user_id,
      keyId: row.api_key_id,
      access: row.access,
      askedBy: row.asked_by,
    }
  }
}

export type Tickets = ReturnType<typeof createTickets>
