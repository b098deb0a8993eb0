import { DomainError, hasAccess } from '#kernel'
import type { ContentType } from '../model.ts'
import { keyRequired, requireMay } from '../permissions.ts'
import type { Viewer } from '../viewer.ts'
import type { CopyState } from './ast.ts'

/** A type that was named and is needed. */
export function requireRead({ level }: Viewer, type: ContentType): void {
  requireMay(level, type, 'read')
}

/** Drafts are refused to lower levels, never answered with less. */
export function requireState(viewer: Viewer, state: CopyState): void {
  if (state !== 'live') requireWrite(viewer, 'Reading drafts')
}

/** `doing`: what lower levels may not, as the beginning of a sentence. */
export function requireWrite({ level }: Viewer, doing: string): void {
  if (level === null) throw keyRequired()
  if (hasAccess({ access: level }, 'write')) return
  const message = `${doing} needs the level write`
  throw new DomainError('forbidden', 'forbidden', message, { facts: { required: 'write' } })
}
