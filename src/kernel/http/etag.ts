import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'
import type { Coding } from './accept-encoding.ts'

const CODING_SUFFIX = /-(?:br|gzip)"$/

/** Says that the meaning is the same, not the bytes: compression and spacing may differ. */
export function weakEtag(body: string | Buffer): string {
  return `W/"${digestOf(body)}"`
}

/**
 * Tells versions of one answer apart and guards nothing, so SHA-1 is enough: without instructions of the processor for
 * it, SHA-256 of a list of 20 KB takes twice as long, a tenth of all that the main thread does for a first read.
 */
export function digestOf(body: string | Buffer): string {
  return hash('sha1', body, 'base64url')
}

/** For one record: `strongEtag(7, 3)` is `"7-3"`. */
export function strongEtag(...parts: readonly (string | number)[]): string {
  return `"${parts.join('-')}"`
}

/** A strong tag names exact bytes, so the compressed form needs another (RFC 9110 §8.8.3.3). */
export function etagForCoding(etag: string, coding: Coding): string {
  return etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}-${coding}"`
}

/** `If-None-Match`: the client has this version already, in whichever coding. */
export function isNotModified(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match']
  return header !== undefined && includesTag(header, etag, bare)
}

/**
 * `If-Match` on a change: throws when the record has changed since the client read it. A tag that
 * came with a compressed answer means the same record.
 */
export function checkIfMatch(request: FastifyRequest, etag: string): void {
  const header = request.headers['if-match']
  if (header === undefined || includesTag(header, etag, withoutSuffix)) return
  throw new DomainError('stale', 'precondition_failed', 'The record has changed since it was read')
}

function includesTag(header: string, etag: string, reduce: (tag: string) => string): boolean {
  if (header.trim() === '*') return true
  const wanted = reduce(etag)
  return header.split(',').some((tag) => reduce(tag.trim()) === wanted)
}

/** Weak comparison (RFC 9110 §8.8.3.2). */
function bare(tag: string): string {
  return withoutSuffix(tag.startsWith('W/') ? tag.slice(2) : tag)
}

function withoutSuffix(tag: string): string {
  return tag.replace(CODING_SUFFIX, '"')
}
