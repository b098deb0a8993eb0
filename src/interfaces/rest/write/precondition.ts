import { hash } from 'node:crypto'
import type { Entry } from '#content'
import { DomainError } from '#kernel'

const OURS = /^"(\d+)-(\d+)-[\w-]{8}(?:-(?:br|gzip))?"$/

/**
 * The strong tag of a record: its id and version, which `If-Match` compares, and the bytes, because
 * a related entry that is unpublished changes what is shown without a new version.
 */
export function recordTag({ id, version }: Entry, body: string): string {
  return `"${id}-${version}-${hash('sha256', body, 'base64url').slice(0, 8)}"`
}

/** The version a change may be made to; undefined: any. Throws when the record has moved on. */
export function expectedVersion(
  ifMatch: string | undefined,
  { id, version }: Entry,
): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  const isCurrent = ifMatch.split(',').some((tag) => {
    const [, tagId, tagVersion] = OURS.exec(tag.trim()) ?? []
    return Number(tagId) === id && Number(tagVersion) === version
  })
  if (isCurrent) return version
  throw new DomainError('stale', 'precondition_failed', 'The record has changed since it was read')
}
