import type { Entry } from '#content'
import type { ContentType } from '#content-model'
import { renderTime } from '#kernel'
import type { Member } from '../schema/meaning.ts'
import { globalId } from '../target.ts'
import type { Write } from './writing.ts'

/** What entries have beside their attributes. */
export function memberOf(type: ContentType, name: Member): Write<Entry> {
  switch (name) {
    case 'id':
      return ({ id }) => `"${id}"`
    case 'globalId':
      return ({ id }) => `"${globalId(type, id)}"`
    case 'databaseId':
      return ({ id }) => String(id)
    case 'documentId':
      return ({ documentId }) => `"${documentId}"`
    case 'createdAt':
      return ({ createdAtMs }) => timeText(createdAtMs)
    case 'updatedAt':
      return ({ updatedAtMs }) => timeText(updatedAtMs)
    case 'publishedAt':
      return ({ publishedAtMs }) => (publishedAtMs === null ? null : timeText(publishedAtMs))
    case 'locale':
      return ({ locale }) => (locale === null ? null : JSON.stringify(locale))
  }
}

function timeText(ms: number): string {
  return `"${renderTime(ms)}"`
}
