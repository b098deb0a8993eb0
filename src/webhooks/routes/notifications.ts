import type { Kysely } from 'kysely'
import Type from 'typebox'
import type { Database } from '#db'
import type { HttpPlugin } from '#http'
import { type Clock, isUuid, notFound } from '#kernel'
import { answerList, listParameters, parseListBy, parseUuidId } from '#paging'
import { renderNotification } from '../render.ts'
import * as schemas from '../schemas.ts'
import { findNotifications, markRead } from '../store/notifications.ts'
import type { WebhooksTables } from '../tables.ts'
import type { RouteDeps } from './index.ts'
import { CONSUMER, IdParams } from './shared.ts'

const tags = ['Webhooks']
const config = { access: 'read' } as const
const MAX_SIZE = 100

interface Deps extends RouteDeps {
  readonly db: Database
  readonly clock: Clock
}

/** Webhooks contract §9.2: what owners are told of their subscriptions. */
export function notificationRoutes({ db, clock, callerOf, origin }: Deps): HttpPlugin {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return (app) => {
    app.get(
      '/notifications',
      {
        config,
        schema: {
          tags,
          summary: 'List notifications',
          description:
            'What the server has to tell the owner of subscriptions, such as an endpoint that was disabled. Each says whether an e-mail was sent, too.',
          querystring: listParameters([CONSUMER]),
          response: { 200: schemas.listOf(schemas.Anything) },
        },
      },
      async (request, reply) => {
        const { consumer } = await callerOf(request)
        const list = parseListBy(parseUuidId, request, reply, {
          sorts: ['created_at'],
          filters: [CONSUMER],
          maxLimit: MAX_SIZE,
          defaultSort: 'created_at',
          defaultOrder: 'desc',
        })
        return answerList(request, reply, {
          origin: origin(request),
          paging: list.paging,
          page: await findNotifications(reader, consumer.id, list),
          render: renderNotification,
        })
      },
    )

    app.post(
      '/notifications/:id/read',
      {
        config: { ...config, idempotent: true },
        schema: {
          tags,
          summary: 'Mark a notification as read',
          description: 'Sets `read_at` of the notification. It stays in the list.',
          params: IdParams,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { consumer } = await callerOf(request)
        const { id } = request.params
        const isKnown =
          isUuid(id) && (await markRead(db.main.writer, consumer.id, id.toLowerCase(), clock.now()))
        if (!isKnown) throw notFound('notification')
        reply.code(204)
      },
    )
  }
}
