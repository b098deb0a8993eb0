import type { Store, Tx } from '#db'
import { digestOf } from '#http-text'
import { DomainError, hasAccess } from '#kernel'
import type { Entry } from '../../entry.ts'
import { mayRead } from '../../permissions.ts'
import type { Viewer } from '../../viewer.ts'
import type { CopyState } from '../ast.ts'

const OURS = /^"(\d+)-(\d+)-[\w-]{8}(?:-(?:br|gzip))?"$/

/**
 * The strong tag of an entry: its id and version, which `If-Match` compares, and the bytes, because
 * a related entry that is unpublished changes what is shown without a new version.
 */
export function entryTag({ id, version }: Pick<Entry, 'id' | 'version'>, body: string): string {
  return `"${id}-${version}-${digestOf(body).slice(0, 8)}"`
}

/** The version a change may be made to; undefined: any. Throws when the entry has moved on. */
export function expectedVersion(
  ifMatch: string | undefined,
  { id, version }: Pick<Entry, 'id' | 'version'>,
  noun = 'entry',
): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  const isCurrent = ifMatch.split(',').some((tag) => {
    const [, tagId, tagVersion] = OURS.exec(tag.trim()) ?? []
    return Number(tagId) === id && Number(tagVersion) === version
  })
  if (isCurrent) return version
  throw new DomainError('stale', 'precondition_failed', `The ${noun} has changed since it was read`)
}

/**
 * Which copy of what it has written a caller may see: who may write without reading, as the public that sends a
 * form in, gets none of it back (null).
 */
export function seenByWriter(
  viewer: Viewer,
  { type, status }: Pick<Entry, 'type' | 'status'>,
): CopyState | null {
  if (!mayRead(viewer, type)) return null
  if (viewer.level !== null && hasAccess({ access: viewer.level }, 'write')) return 'working'
  return !type.draftAndPublish || status === 'published' ? 'live' : null
}

/** For what is looked up to be changed and not to be shown. */
export const UNSEEN: Viewer = { level: 'admin' }

/**
 * Why a change would be refused, undefined if it would not be: it is tried and undone, so that who has
 * found other faults can tell of all at once.
 */
export async function faultOf(
  transaction: Store['transaction'],
  perform: (tx: Tx) => Promise<unknown>,
): Promise<unknown> {
  const undo = new Error('only tried')
  const found: unknown = await transaction(undefined, async (tx) => {
    await perform(tx)
    throw undo
  }).catch((error: unknown) => error)
  return found === undo ? undefined : found
}

/** A list of what is JSON already. A text that grows is copied once, when it is sent; joined ones each time. */
export function jsonList<Item>(items: readonly Item[], render: (item: Item) => string): string {
  let text = '['
  for (const item of items) text += text === '[' ? render(item) : `,${render(item)}`
  return `${text}]`
}
