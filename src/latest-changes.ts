import { type Content, eventNamesOf } from '#content'
import type { EventReader } from '#events'
import type { LatestChange } from '#operation'

/** The newest changes of content, each entry once however many events its change had. */
export async function findLatestChanges(
  events: Pick<EventReader, 'listEvents'>,
  content: Pick<Content, 'model'>,
  limit: number,
): Promise<LatestChange[]> {
  const typeOf = new Map(
    content
      .model()
      .types.flatMap((type) =>
        eventNamesOf(type).map((name) => [name, type.singularName] as const),
      ),
  )
  const all = [...typeOf.keys()]
  const audience = { viewer: '', open: [], live: [], owned: [], all }
  const found = await events.listEvents({ audience, types: all, order: 'desc', limit: limit * 4 })
  const changes = new Map<string, LatestChange>()
  for (const { type: event, payload, createdAtMs } of found) {
    const { document_id: documentId, locale } = payload
    const type = typeOf.get(event)
    if (type === undefined || typeof documentId !== 'string') continue
    const key = `${documentId} ${locale}`
    const isTold = changes.has(key)
    if (isTold) continue
    changes.set(key, {
      ...{ event, type, documentId, atMs: createdAtMs },
      locale: typeof locale === 'string' ? locale : null,
    })
  }
  return [...changes.values()].slice(0, limit)
}
