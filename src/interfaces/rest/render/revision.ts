import type { Entry } from '#content'
import { renderTime } from '#kernel'
import type { Misfit, Revision } from '../deps.ts'
import type { View } from '../query/parse.ts'
import { renderRecord } from './entry.ts'

/** One of the list: who saved it when and what has happened to it, without the values. */
export function renderRevision({ id, savedAtMs, savedBy, isCurrent, isLive, events }: Revision) {
  return {
    id,
    saved_at: renderTime(savedAtMs),
    saved_by: savedBy,
    is_current: isCurrent,
    is_live: isLive,
    events: events.map(({ event, atMs, by }) => ({ event, at: renderTime(atMs), by })),
  }
}

/** The same with the record as it was. */
export function renderWholeRevision(revision: Revision, entry: Entry, view: View): string {
  const members = JSON.stringify(renderRevision(revision)).slice(0, -1)
  return `${members},"record":${renderRecord(entry, view)}}`
}

export function renderMisfit({ path, message }: Misfit) {
  return { field: path.join('.'), message }
}
