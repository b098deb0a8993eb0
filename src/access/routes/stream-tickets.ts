import type { HttpPlugin } from '#http'
import { renderTime } from '#kernel'
import { Ticket } from '../schemas.ts'
import type { Tickets } from '../tickets.ts'
import { actorOf, dataOf, noStore } from './shared.ts'

export function ticketRoute({ tickets }: { tickets: Tickets }): HttpPlugin {
  return (app) => {
    app.post(
      '/stream-tickets',
      {
        config: { access: 'read', counted: false },
        schema: {
          tags: ['Usage'],
          summary: 'Make a ticket for a stream',
          description:
            'A ticket opens one event stream in place of a key, for browsers whose `EventSource` can send no headers. It works once and within a minute.',
          response: { 201: dataOf(Ticket) },
        },
      },
      async (request, reply) => {
        const { ticket, expiresAtMs } = await tickets.issue(actorOf(request))
        noStore(reply)
        reply.code(201)
        return { data: { ticket, expires_at: renderTime(expiresAtMs) } }
      },
    )
  }
}
