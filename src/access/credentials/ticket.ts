import type { FastifyRequest } from 'fastify'
import type { Directory } from '../directory.ts'
import type { Principal } from '../principal.ts'
import { lowerOf } from '../records.ts'
import { invalidKey, userDisabled } from '../refusals.ts'
import type { Ticket, Tickets } from '../tickets.ts'
import type { Users } from '../users.ts'
import { isOpenToReaders, keyNeeded } from './cookie.ts'
import { refusalOf } from './key.ts'
import { narrowed } from './token.ts'

interface Deps {
  readonly directory: Pick<Directory, 'findById'>
  readonly tickets: Pick<Tickets, 'take'>
  readonly users: Pick<Users, 'find'>
  now(): number
}

/**
 * A ticket works once and has the rights of the credential that asked for it, as far as that one
 * still has them: a key revoked since then is refused with its own text.
 */
export function createTicketCheck({ directory, tickets, users, now }: Deps) {
  return async (raw: string, request: FastifyRequest): Promise<Principal> => {
    const ticket = await tickets.take(raw)
    if (!ticket) throw invalidKey()
    if (ticket.keyId !== null) return ofKey(ticket, ticket.keyId)
    const principal = await ofUser(ticket)
    const isBound = ticket.askedBy === 'cookie' && principal.actor.access === 'read'
    if (isBound && !isOpenToReaders(request)) throw keyNeeded()
    return principal
  }

  async function ofKey(ticket: Ticket, keyId: number): Promise<Principal> {
    const found = await directory.findById(keyId)
    if (!found) throw invalidKey()
    const refusal = refusalOf(found, now())
    if (refusal) throw refusal
    return narrowed(found.known.principal, ticket.access, 'ticket')
  }

  async function ofUser(ticket: Ticket): Promise<Principal> {
    const user = await users.find(ticket.userId)
    if (user?.status !== 'active') throw userDisabled()
    const actor = {
      userId: user.id,
      consumerId: user.uuid,
      apiKeyId: null,
      planId: null,
      access: lowerOf(ticket.access, user.access),
      kind: 'ticket' as const,
    }
    return { actor, key: null }
  }
}
