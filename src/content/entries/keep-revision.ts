import { prepared } from '#db'
import { renderKept } from '../revisions/kept-body.ts'
import { happenedTo, renderHappened, savedBy } from './happened.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Writing } from './writing.ts'

/**
 * Keeps what a copy said, in the write that puts something else in its place. Nothing is read for it, and a new
 * entry costs nothing: its copy is its first revision. What was kept before stays as it was kept
 * then; only what has happened to it since is added.
 */
export async function keepRevision(writing: Writing, entry: Registered, copy: Copy): Promise<void> {
  const { trx, type, keptRevisions } = writing
  if (keptRevisions === 0 || entry.scraped === 1) return
  const row = {
    revision_id: copy.revisionId,
    entry_no: copy.entryNo,
    ...savedBy(entry, copy),
    body: renderKept(type, copy.body),
    // Of what is live beside a draft all was noted when the draft began.
    events: copy.work ? renderHappened(happenedTo(entry, copy)) : null,
    fresh: 1,
  }
  const text = () =>
    trx
      .insertInto('content_revisions')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('revision_id').doUpdateSet(({ fn, ref }) => ({
          events: fn.coalesce(ref('excluded.events'), ref('content_revisions.events')),
        })),
      )
  await trx.executeQuery(prepared(trx, 'keep a revision', Object.values(row), text))
}

/** What an update leaves of this: the last write wrote the values, or who did is remembered. */
export function revisedBy(entry: Registered, work: Copy, isBodyChanged: boolean) {
  if (isBodyChanged) return { revised_at: null, revised_by: null }
  const { saved_at, saved_by } = savedBy(entry, work)
  return { revised_at: saved_at, revised_by: saved_by }
}
