import { DomainError, hasAccess } from '#kernel'
import type { ContentType } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { CopyState } from './ast.ts'

/** Content model §9: without a key only types that are public exist. */
export function mayRead({ level }: Viewer, type: ContentType): boolean {
  return level !== null || type.publicRead
}

/** A type that was named and is needed. */
export function requireRead(viewer: Viewer, type: ContentType): void {
  if (!mayRead(viewer, type)) throw keyRequired()
}

/** Drafts are refused to lower levels, never answered with less. */
export function requireState({ level }: Viewer, state: CopyState): void {
  if (state === 'live') return
  if (level === null) throw keyRequired()
  if (hasAccess({ access: level }, 'write')) return
  throw new DomainError('forbidden', 'forbidden', 'Reading drafts needs the level write', {
    facts: { required: 'write' },
  })
}

/** The same refusal as access has. */
export function keyRequired(): DomainError {
  return new DomainError('unauthenticated', 'api_key_required', 'API key required', {
    headers: { 'www-authenticate': 'Bearer realm="entrepot"' },
  })
}
