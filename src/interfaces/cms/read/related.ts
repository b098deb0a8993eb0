import type { Content, Entry, MediaFile, Viewer } from '#content'
import { hasAccess } from '#kernel'
import { MAX_RELATED } from '../query/level.ts'

/** The entries that use files, as the caller may see them: those who write see drafts. */
export function createRelated(content: Pick<Content, 'media' | 'findOne'>) {
  return findRelated

  async function findRelated(viewer: Viewer, files: readonly MediaFile[]) {
    const state = isWriter(viewer) ? 'working' : 'live'
    const uses = await content.media.findUses(viewer.level, files, MAX_RELATED)
    const shown = uses.filter((use) => (state === 'live' ? use.isLive : use.isWorking))
    const related = new Map<string, Entry[]>()
    for (const { fileUuid, type, entryId } of shown) {
      const own = related.get(fileUuid) ?? []
      // It may have the file twice.
      if (own.some((entry) => entry.type === type && entry.id === entryId)) continue
      const query = { type, state, locale: { kind: 'all' }, filter: null, include: [] } as const
      const entry = await content.findOne(viewer, query, { id: entryId })
      if (entry) related.set(fileUuid, [...own, entry])
    }
    return related
  }
}

function isWriter({ level }: Viewer): boolean {
  return level !== null && hasAccess({ access: level }, 'write')
}
