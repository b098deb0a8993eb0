import type { Read } from '#content'
import type { RestContent } from '../deps.ts'
import { JSON_TYPE } from './answer.ts'
import type { Asked } from './request.ts'

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ kept, model }: Pick<RestContent, 'kept' | 'model'>) {
  return (asked: Asked, origin: string, read: () => Promise<Read>): Promise<Buffer> => {
    const { request, reply, resource } = asked
    reply.type(JSON_TYPE)
    // Whoever prefers something may get another answer to the same question.
    const key = request.headers['prefer'] === undefined ? keyOf(asked, origin) : undefined
    return kept({ request, reply, key, holds: () => model() === resource.model }, read)
  }
}

/** Everything but the stored entries that an answer depends on; links in it begin with our origin. */
function keyOf({ request, viewer, resource }: Asked, origin: string): string {
  const { model, type, version } = resource
  const seen = `${version} ${viewer.level} ${model.revision} ${type.no}`
  return `rest ${seen} ${origin} ${request.url}`
}
