import type { Viewer } from '#content'
import type { ContentType } from '#content-model'
import { type ContentQuery, type CopyState, requireWrite } from '#content-query'
import type { Arguments } from './arguments.ts'

/** Which copies a list shows; said by types with drafts alone, and by each list for itself. */
export function stateIn(
  { viewer }: { readonly viewer: Viewer },
  thing: ContentType | 'files',
  { publicationState }: Arguments,
): { state?: CopyState } {
  if (thing === 'files' || !thing.draftAndPublish || publicationState === undefined) return {}
  if (publicationState !== 'PREVIEW') return { state: 'live' }
  requireWrite(viewer, 'Reading drafts')
  return { state: 'working' }
}

/** The same of a list of the root, which may also be asked for by status. */
export function rootState(
  to: { readonly viewer: Viewer },
  thing: ContentType,
  given: Arguments,
): Pick<ContentQuery, 'state' | 'status'> {
  const { status } = given
  if (status === 'DRAFT' || status === 'ALL') {
    requireWrite(to.viewer, 'Reading drafts')
    return { state: 'working', ...(status === 'DRAFT' && { status: 'draft' as const }) }
  }
  return { state: 'live', ...stateIn(to, thing, given) }
}
