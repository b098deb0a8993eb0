import type { FastifyRequest } from 'fastify'
import type { AccessLevel } from '#kernel'

/** On whose behalf the store is read; `level` is null when no credential was presented. */
export interface Viewer {
  readonly level: AccessLevel | null
  /** Without a credential: sees also files that nothing refers to (content delivery, `Media.PublicAccess`). */
  readonly seesUnusedFiles?: boolean
  /** Who takes turns with others when many long reads wait; all of whom nothing is known are one. */
  readonly asker?: () => string
}

/** Who sends no credential is known by the address. */
export function viewerOf(request: Pick<FastifyRequest, 'actor' | 'ip'>): Viewer {
  const { actor } = request
  return { level: actor?.access ?? null, asker: () => actor?.consumerId ?? request.ip }
}
