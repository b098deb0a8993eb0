import Type from 'typebox'
import type { HttpPlugin } from '#http'
import { badParameter } from '#paging'
import type { LiveFeed } from '../stream.ts'
import type { RouteDeps } from './index.ts'

const tags = ['Webhooks']
const config = { access: 'read' } as const

interface Deps extends Pick<RouteDeps, 'callerOf'> {
  readonly feed: LiveFeed
}

/** Webhooks contract §11. */
export function streamRoutes({ feed, callerOf }: Deps): HttpPlugin {
  return (app) => {
    app.get(
      '/stream',
      {
        config: { ...config, ticket: true, compress: false, etag: false },
        schema: {
          tags,
          summary: 'Follow events',
          description:
            'Server-sent events as they happen, of the types in `events` or of all. With `Last-Event-ID` the stream goes on after that event; when it is not kept any more the stream begins with `gap`.',
          querystring: Type.Object(
            { events: Type.Optional(Type.Unknown()), last_event_id: Type.Optional(Type.Unknown()) },
            { additionalProperties: true },
          ),
        },
      },
      async (request, reply) => {
        const { actor, consumer } = await callerOf(request)
        const types = parseTypes(request.query.events)
        const { last_event_id: asked } = request.query
        // Browsers send an empty one when no message had an id: none.
        const lastEventId = request.headers['last-event-id'] || asked || undefined
        if (Array.isArray(lastEventId)) throw badParameter('last_event_id', 'must be given once')
        return feed.open(request, reply, {
          actor,
          consumer,
          types,
          lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        })
      },
    )
  }
}

/** Null: all of them. */
function parseTypes(value: unknown): readonly string[] | null {
  if (value === undefined) return null
  const texts = Array.isArray(value) ? value : [value]
  const names = texts.flatMap((text) => String(text).split(',')).filter((name) => name !== '')
  if (names.length === 0) throw badParameter('events', 'must name event types')
  return names.includes('*') ? null : [...new Set(names)]
}
